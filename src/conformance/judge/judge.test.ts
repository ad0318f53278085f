import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Api, RecordedRequest } from "../../providers/index.ts";
import type { JsonObject } from "../../transcript/json/json.ts";
import { type Form, RENDER, type Step } from "../cases/forms.ts";
import { makeCases } from "../make-cases.ts";
import { readItems, toItems } from "./items.ts";
import { type Effect, type Fault, judge } from "./judge.ts";

const APIS = {
  anthropic: ["anthropic-messages", "messages"],
  chat: ["openai-completions", "messages"],
  responses: ["openai-responses", "input"],
  gemini: ["google-generative-ai", "contents"],
  converse: ["bedrock-converse-stream", "messages"],
} as const satisfies Partial<Record<Form, readonly [Api, string]>>;
type ApiForm = keyof typeof APIS;
const FORMS = Object.keys(APIS) as ApiForm[];

const text = fc.string({ minLength: 1, maxLength: 12 }).filter((one) => one.trim() === one);
/** Turns with calls and their results, in the order in which APIs take them. */
const conversation = fc
  .array(
    fc.record({
      user: text,
      assistant: text,
      calls: fc.array(fc.record({ input: fc.dictionary(text, fc.jsonValue(), { maxKeys: 2 }), result: text }), {
        maxLength: 3,
      }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((turns) =>
    turns.flatMap(({ user, assistant, calls }, at): Step[] => [
      { kind: "user", text: user },
      {
        kind: "assistant",
        text: assistant,
        calls: calls.map(({ input }, nth) => ({ id: `c${at}-${nth}`, name: `tool${nth}`, input })),
      },
      ...calls.map(({ result }, nth): Step => ({
        kind: "result",
        id: `c${at}-${nth}`,
        name: `tool${nth}`,
        text: result,
      })),
    ]),
  );

function sent(form: ApiForm, list: readonly unknown[], more: JsonObject = {}): RecordedRequest {
  const [api, field] = APIS[form];
  const body = JSON.parse(JSON.stringify({ ...more, [field]: list })) as JsonObject;
  const empty = { path: "", headers: {}, fingerprint: "", violations: [], at: 0 };
  return { ...empty, api, body, raw: JSON.stringify(body), status: 200 };
}

describe.each(FORMS)("a conversation in the form %s", (form) => {
  it("is read with all its words and calls, and each result at its call: else valid ones are called changed", () =>
    fc.assert(
      fc.property(conversation, (steps) => {
        const [api, field] = APIS[form];
        const body: unknown = JSON.parse(JSON.stringify({ [field]: RENDER[form](steps) }));
        expect(readItems(api, body)).toEqual(JSON.parse(JSON.stringify(toItems(steps))));
      }),
    ));

  it("is found changed wherever a message is left out or put elsewhere", () => {
    const test = makeCases(form)[0]!;
    const list = [...test.history!, ...RENDER[form]([{ kind: "user", text: test.turns[0]!.question }])];
    const judged = (messages: readonly unknown[]): string[] =>
      judge(test, { turns: [{ requests: [sent(form, messages)] }], effects: [] }).map(({ kind }) => kind);
    expect(judged(list)).toEqual([]);
    for (let at = 0; at < list.length - 1; at++) {
      expect(judged(list.toSpliced(at, 1)), `without ${at}`).toContain("changed");
      expect(judged([...list.toSpliced(at, 1), list[at]]), `${at} at the end`).toContain("changed");
    }
  });
});

it("reads whatever an agent sends, and throws at nothing", () =>
  fc.assert(
    fc.property(fc.anything({ withBigInt: false }), fc.constantFrom(...Object.values(APIS)), (value, [api, field]) => {
      for (const body of [
        value,
        { [field]: value },
        { [field]: [value] },
        { [field]: [{ content: value, parts: value }] },
      ])
        readItems(api, body);
    }),
  ));

describe("what a request tells of calls that a kill has stopped", () => {
  const test = makeCases("chat").find(({ turns }) => turns[0]!.kill === "acted")!;
  const calls = ["INV-4711", "INV-4712"].map((invoice) => ({ name: "pay", arguments: { invoice } }));
  const acted: Effect[] = [{ ...calls[0]!, receipt: "R-0123456789" }];

  function judged(results: readonly [string, string], effects: readonly Effect[], more: JsonObject = {}): string[] {
    const steps: Step[] = [
      { kind: "user", text: test.turns[0]!.question },
      {
        kind: "assistant",
        text: "",
        calls: calls.map((call, at) => ({ id: `c${at}`, name: "pay", input: call.arguments })),
      },
      ...results.map((one, at): Step => ({ kind: "result", id: `c${at}`, name: "pay", text: one })),
      { kind: "user", text: test.turns[1]!.question },
    ];
    const request = sent("chat", RENDER.chat(steps), more);
    return judge(test, { turns: [{ requests: [] }, { requests: [request] }], effects }).map(({ kind }: Fault) => kind);
  }
  const open = "Its outcome is unknown.";

  it.each([
    ["its result", ["pay has acted, receipt R-0123456789", "It was not started."], []],
    ["that it may have run", [open, open], []],
    ["that it was cancelled", ["Cancelled.", open], ["false_outcome"]],
    ["nothing", ["", ""], ["untold_effect"]],
    ["of the other one that it is done", [open, "Done."], ["false_outcome"]],
  ] as const)("%s", (_told, results, faults) => expect(judged(results, acted)).toEqual(faults));

  it("is told in a system prompt too", () => {
    const note = { role: "system", content: "It may be that INV-4711 was paid: its outcome is unknown." };
    const request = sent("chat", [
      note,
      ...RENDER.chat(test.turns.map(({ question }) => ({ kind: "user", text: question }))),
    ]);
    const observed = { turns: [{ requests: [] }, { requests: [request] }], effects: acted };
    expect(judge(test, observed)).toEqual([]);
  });

  it("is of no use where a call acts again, or one that nobody has asked for", () => {
    expect(judged([open, open], [...acted, ...acted])).toEqual(["repeated_effect"]);
    const other = { name: "pay", arguments: { invoice: "INV-1" }, receipt: "R-1" };
    expect(judged([open, open], [...acted, other])).toEqual(["repeated_effect"]);
  });
});
