import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { loadRecorded, RECORDED_APIS } from "../../harness/recorded/recorded.ts";
import { listViolations } from "../providers/index.ts";
import recorded from "./cases/recorded.json" with { type: "json" };
import { type Form, makeCases, RENDER } from "./index.ts";

const FORMS = Object.keys(RENDER) as Form[];
const schema = JSON.parse(
  readFileSync(new URL("../../docs/agent-cases.schema.json", import.meta.url), "utf8"),
) as object;
const ofSchema = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);

describe.each(FORMS)("the cases in the form %s", (form) => {
  const cases = makeCases(form);

  it("are as their schema says, which is what a program in another language reads", () => {
    for (const one of cases) {
      const line: unknown = JSON.parse(JSON.stringify(one));
      expect(ofSchema.safeParse(line), one.id).toEqual({ success: true, data: line });
    }
  });

  it("have ids of their own, and answers that are in nothing else, so that an answer is known", () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
    for (const { turns, ...rest } of cases) {
      const { answers } = turns.at(-1)!;
      const last = answers.at(-1)!;
      const others = JSON.stringify([rest, turns.slice(0, -1), turns.at(-1)!.question]);
      expect("text" in last && !others.includes(last.text), rest.id).toBe(true);
    }
  });

  it("are the same each time", () => expect(makeCases(form)).toEqual(cases));

  it("are 17 damaged histories, seven kills, three broken answers, and valid ones", () => {
    const counts = Object.groupBy(cases, ({ kind }) => kind);
    expect([counts.damaged!.length, counts.killed!.length, counts.broken!.length, counts.healthy!.length]).toEqual([
      17, 7, 3, 2,
    ]);
  });
});

const CONVERSE_TOOLS = {
  toolConfig: { tools: [{ toolSpec: { name: "pay", inputSchema: { json: { type: "object" } } } }] },
};
const APIS = {
  anthropic: ["anthropic-messages", "messages", { max_tokens: 1 }],
  chat: ["openai-completions", "messages", {}],
  responses: ["openai-responses", "input", {}],
  gemini: ["google-generative-ai", "contents", {}],
  converse: ["bedrock-converse-stream", "messages", CONVERSE_TOOLS],
} as const;

/** The damaged histories that an API takes all the same: an agent may send them as they are. */
const TAKEN: Readonly<Record<keyof typeof APIS, readonly string[]>> = {
  anthropic: ["an id that is used again"],
  chat: [],
  responses: ["a result behind the answer", "a question between a call and its result", "messages that say nothing"],
  gemini: ["an id that is used again", "ids of another API"],
  converse: [],
};

it.each(Object.keys(APIS) as (keyof typeof APIS)[])(
  "%s: a provider refuses what is damaged, and nothing else",
  (form) => {
    const [api, field, more] = APIS[form];
    const isRefused = (list: readonly unknown[]): boolean =>
      listViolations(api, { model: "m", ...more, [field]: list }, { model: "m" }).length > 0;
    const stored = makeCases(form).filter(({ history }) => history !== undefined);
    const taken = stored.filter(
      ({ history, turns }) => !isRefused([...history!, ...RENDER[form]([{ kind: "user", text: turns[0]!.question }])]),
    );
    expect(taken.filter(({ kind }) => kind === "damaged").map(({ about }) => about)).toEqual(TAKEN[form]);
    expect(taken.filter(({ kind }) => kind !== "damaged")).toEqual(stored.filter(({ kind }) => kind !== "damaged"));
  },
);

it("recorded cases are recordings: a history that nobody has sent proves nothing of a provider", () => {
  const apis = Object.fromEntries(RECORDED_APIS.map((api) => [api, loadRecorded(api)]));
  for (const { form, at, history, question } of recorded) {
    const [api, field] = APIS[form as keyof typeof APIS];
    const { status, body } = apis[api]!.get(at)!;
    const list = body[field] as unknown[];
    expect(status).toBe(200);
    expect(list.slice(0, -1)).toEqual(history);
    expect(JSON.stringify(list.at(-1))).toContain(JSON.stringify(question));
  }
});
