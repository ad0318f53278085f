import { createHash } from "node:crypto";
import type { JsonObject } from "../transcript/json/json.ts";
import { readItems, toItems } from "./judge/items.ts";
import { type Answer, type Item, type KillAt, type TestCase, type Tool, type ToolCall, VERSION } from "./cases/case.ts";
import { FAULTS, listWords, VALID } from "./cases/conversation.ts";
import { type Form, RENDER, type Step } from "./cases/forms.ts";
import recorded from "./cases/recorded.json" with { type: "json" };

const schema = (properties: JsonObject): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});
const PAY: Tool = { name: "pay", description: "Pays an invoice.", parameters: schema({ invoice: { type: "string" } }) };
const LIST: Tool = { name: "ls", description: "Lists a folder.", parameters: schema({ path: { type: "string" } }) };

/** The model's calls. No question contains the numbers, so that a text with one of them is about the call. */
const CALLS: readonly ToolCall[] = ["INV-4711", "INV-4712"].map((invoice) => ({ name: "pay", arguments: { invoice } }));
const ORDER = "Pay the two open invoices of QX55, please.";
const CHECK = "Have both invoices been paid?";

/** The API of a form that is one of an API, and the field of its list. */
const API_FIELDS = {
  anthropic: ["anthropic-messages", "messages"],
  chat: ["openai-completions", "messages"],
  responses: ["openai-responses", "input"],
  gemini: ["google-generative-ai", "contents"],
  converse: ["bedrock-converse-stream", "messages"],
} as const;

/** A question may directly follow a result for some APIs only. */
const WHOLE: readonly Step[] = [
  ...VALID.slice(0, -1),
  { kind: "assistant", text: "There is one file.", calls: [] },
  ...VALID.slice(-1),
];

const KILLS: Readonly<Record<KillAt, string>> = {
  in_answer: "a kill in an answer with two calls",
  called: "a kill before a call acts",
  acted: "a kill when the first of two calls has acted",
  one_returned: "a kill when the first of two calls has returned",
  last_acted: "a kill when both calls have acted, and one has not returned",
  returned: "a kill when both calls have returned",
  asked: "a kill when a call has acted, and one more in the next turn",
};

const BREAKS = {
  "drop-in-tool": "a connection that breaks in a call",
  "end-in-tool": "an answer that ends in a call",
  "content-filter-after-tool": "a content filter that ends an answer after a call",
} as const;

/** Returns the cases with histories in a form. The same for each call: nothing in them is random. */
export function makeCases(form: Form): TestCase[] {
  return [
    makeCase(form, "healthy", "a valid conversation", storedConversation(form, WHOLE, true)),
    makeCase(form, "healthy", "a turn with two calls", {
      ...nothingOpen,
      tools: [PAY],
      turns: [turn("turn", ORDER, { calls: CALLS })],
      words: [ORDER],
    }),
    ...recorded
      .filter((one) => one.form === form)
      .map(({ history, question, tools, at }) =>
        makeCase(form, "recorded", `request ${at} that a provider has answered`, {
          ...nothingOpen,
          history: history as JsonObject[],
          tools: tools.map((name) => ({ name, description: "Does something.", parameters: schema({}) })),
          turns: [turn(`recorded ${at}`, question)],
          words: [question],
          items: [...recordedItems(form, history as JsonObject[]), { kind: "user", text: question }],
        }),
      ),
    ...Object.entries(FAULTS).map(([fault, steps]) =>
      makeCase(form, "damaged", fault, storedConversation(form, steps, false)),
    ),
    ...Object.entries(BREAKS).map(([fault, about]) =>
      makeCase(form, "broken", about, {
        ...nothingOpen,
        tools: [PAY],
        turns: [
          { ...turn(about, ORDER, { fault: fault as keyof typeof BREAKS, calls: CALLS }), mayFail: true as const },
          turn(`${about} after`, CHECK),
        ],
        words: [ORDER, CHECK],
      }),
    ),
    ...Object.entries(KILLS).map(([at, about]) => makeKilled(form, at as KillAt, about)),
  ];
}

interface Parts extends Pick<TestCase, "history" | "tools" | "turns"> {
  readonly words: readonly string[];
  readonly items?: readonly Item[];
  readonly open_calls: readonly ToolCall[];
}

const nothingOpen = { open_calls: [] };

function makeCase(form: Form, kind: TestCase["kind"], about: string, parts: Parts): TestCase {
  const { history, tools, turns, words, items, open_calls } = parts;
  return {
    version: VERSION,
    id: `${kind}/${about.replaceAll(/\W+/g, "-")}`,
    kind,
    about,
    form,
    ...(history && { history }),
    tools,
    turns,
    expect: { words, ...(items && { items }), open_calls },
  };
}

/** A turn whose last answer is a text that nothing else contains. */
function turn(name: string, question: string, ...answers: readonly Answer[]): TestCase["turns"][number] {
  const mark = createHash("sha256").update(`${name}: ${question}`).digest("hex").slice(0, 8);
  return { question, answers: [...answers, { text: `I see, ${mark}.` }] };
}

/** The steps as a stored history and the question behind them: their own last words, or somebody's who asks again. */
function storedConversation(form: Form, steps: readonly Step[], isValid: boolean): Parts {
  const last = steps.at(-1)!;
  const [stored, question] = last.kind === "user" ? [steps.slice(0, -1), last.text] : [steps, "Go on."];
  const history = RENDER[form](stored);
  const json = JSON.stringify(history);
  const items: Item[] = [...toItems(stored), { kind: "user", text: question }];
  return {
    history,
    tools: [PAY, LIST],
    turns: [turn(JSON.stringify(stored), question)],
    // A form may have no place for a part of it.
    words: [...new Set([...listWords(stored).filter((word) => json.includes(word)), question])],
    ...(isValid && { items }),
    open_calls: listOpenCalls(stored),
  };
}

function listOpenCalls(steps: readonly Step[]): ToolCall[] {
  const answered = new Set(steps.flatMap((step) => (step.kind === "result" ? [step.id] : [])));
  return steps.flatMap((step) =>
    step.kind === "assistant"
      ? step.calls
          .filter(({ id, input }) => !answered.has(id) && typeof input === "object")
          .map(({ name, input }) => ({ name, arguments: input as JsonObject }))
      : [],
  );
}

function recordedItems(form: Form, history: readonly JsonObject[]): Item[] {
  const [api, field] = API_FIELDS[form as keyof typeof API_FIELDS];
  return readItems(api, { [field]: history });
}

function makeKilled(form: Form, at: KillAt, about: string): TestCase {
  const first = turn(about, ORDER, { calls: CALLS });
  return makeCase(form, "killed", about, {
    ...nothingOpen,
    tools: [PAY],
    turns: [
      { ...first, kill: at === "asked" ? "acted" : at },
      ...(at === "asked" ? [{ ...turn(about, "Are you there?"), kill: at }] : []),
      turn(`${about} after`, CHECK),
    ],
    words: [ORDER, CHECK],
  });
}
