/** Answers of OpenAI's Responses API and of Gemini: what the next request must have is stored, and is sent again. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  JsonlSession,
  MemorySession,
  openJournal,
  type GivenCall,
  type Journal,
  type MessageFormat,
  type Session,
  type SessionIntegrity,
  type WireApi,
} from "../../src/integrity/index.ts";
import { check } from "../../src/wire/index.ts";
import { deepObject, shared } from "../../harness/arbitrary/hostile-values.ts";
import { APIS } from "../../harness/arbitrary/bodies.ts";
import { listViolations } from "../../harness/providers/index.ts";
import { newFolder } from "../../harness/temporary.ts";
import { WRITERS } from "./messages.ts";

const RUNS = Number(process.env.PROPERTY_RUNS ?? 200);

let journal: Journal;
let integrity: SessionIntegrity;
beforeEach(() => {
  journal = openJournal(":memory:");
  integrity = createSessionIntegrity({ journal });
});
afterEach(() => journal.close());

type Json = Record<string, unknown>;
type Body = Json & { input: Json[]; messages: Json[]; contents: { role: string; parts: Json[] }[] };

const FIELDS: Partial<Record<WireApi, string>> = { "openai-responses": "input", "google-generative-ai": "contents" };
const MODELS: Partial<Record<WireApi, string>> = {
  "openai-responses": "gpt-5",
  "google-generative-ai": "gemini-3-pro-preview",
  "anthropic-messages": "claude-opus-4-6",
};

const open = (format: MessageFormat = "openclaw"): MemorySession =>
  new MemorySession({ id: "s", format, messages: [WRITERS[format].user("Read")] });
const echo = { execute: (name: string, input: unknown) => ({ output: `${name} ${JSON.stringify(input)}` }) };

/** The body of the next request. Expects that neither the rules nor the strict provider have anything against it. */
async function ask(session: Session, api: WireApi): Promise<Body> {
  const model = MODELS[api] ?? "m";
  const { response, error } = await integrity.guardCall(
    session,
    async (messages, gate) => {
      const beside =
        api === "anthropic-messages" ? { model, max_tokens: 100 } : api.startsWith("openai") ? { model } : {};
      return gate.heal({ ...beside, [FIELDS[api] ?? "messages"]: [...messages] }) as unknown as Body;
    },
    { api, model },
  );
  expect(error).toBeUndefined();
  expect(check(api, response, { model })).toEqual([]);
  expect(listViolations(api as never, response, { model })).toEqual([]);
  return response!;
}

const reasoning = (id: string, fields: object = {}) => ({ type: "reasoning", id, summary: [], ...fields });
const functionCall = (id: string, args = "{}", fields: object = {}) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "read",
  arguments: args,
  status: "completed",
  ...fields,
});
const says = (text: string, fields: object = {}) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
  ...fields,
});
const SIGNATURE = "c2lnbmVk";

describe("a response", () => {
  it("its items are in the next request in their order, reasoning directly before its call", async () => {
    const session = open();
    const output = [
      reasoning("rs_1", { encrypted_content: "gAAA", summary: [{ type: "summary_text", text: "So." }] }),
      says("I look.", { phase: "commentary" }),
      reasoning("rs_2"),
      functionCall("call_a", '{"file":"a"}'),
      functionCall("call_b", "", { namespace: "files" }),
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } },
      reasoning("rs_3", { encrypted_content: "gBBB" }),
      { type: "custom_tool_call", id: "ctc_1", call_id: "call_c", name: "patch", input: "*** Begin" },
    ];
    const { success, results } = await integrity.executeToolCycle(session, { output }, echo);
    expect(success).toBe(true);
    expect(results?.map(({ tool_use_id: id }) => id)).toEqual(["call_a", "call_b", "call_c"]);
    expect(JSON.stringify(results)).toContain(String.raw`patch {\"input\":\"*** Begin\"}`);
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
    const { input } = await ask(session, "openai-responses");
    const words = { type: "message", role: "assistant", content: says("I look.").content, phase: "commentary" };
    const call = { type: "function_call", call_id: "call_a", name: "read", arguments: '{"file":"a"}' };
    expect(input.slice(1)).toEqual([
      output[0],
      words,
      output[2],
      call,
      { ...call, call_id: "call_b", arguments: "{}", namespace: "files" },
      output[5],
      output[6],
      { type: "custom_tool_call", call_id: "call_c", name: "patch", input: "*** Begin" },
      { type: "function_call_output", call_id: "call_a", output: 'read {"file":"a"}' },
      { type: "function_call_output", call_id: "call_b", output: "read {}" },
      { type: "custom_tool_call_output", call_id: "call_c", output: 'patch {"input":"*** Begin"}' },
    ]);
  });

  it("its reasoning is still sent after the file was closed, and after a crash between call and result", async () => {
    const file = `${newFolder()}/s.jsonl`;
    const session = JsonlSession.create(file, { format: "openclaw" });
    await session.append([WRITERS.openclaw.user("Read")]);
    session.persistToolCycle = () => Promise.reject(new Error("the disk is full"));
    const given = { output: [reasoning("rs_1"), functionCall("call_a")] };
    expect(await integrity.executeToolCycle(session, given, echo)).toMatchObject({ success: false, rolledBack: false });
    const again = new JsonlSession(file);
    await integrity.recover(again);
    const { input } = await ask(again, "openai-responses");
    expect(input.slice(1).map(({ type }) => type)).toEqual(["reasoning", "function_call", "function_call_output"]);
  });

  it("reasoning that leads to nothing is not sent as an item", async () => {
    const session = open();
    await integrity.executeToolCycle(session, { output: [functionCall("call_a"), reasoning("rs_1")] }, echo);
    const { input } = await ask(session, "openai-responses");
    expect(input.slice(1).map(({ type }) => type)).toEqual(["function_call", "function_call_output"]);
  });

  it("its refusal is kept as words, and the whole response is taken", async () => {
    const session = open("anthropic");
    const refusal = says("", { content: [{ type: "refusal", refusal: "I will not." }] });
    const output = [refusal, functionCall("call_a")];
    await integrity.executeToolCycle(session, { id: "resp_1", object: "response", output } as never, echo);
    expect(JSON.stringify(await ask(session, "openai-responses"))).toContain("I will not.");
  });

  it.each(["{", "[1]"])("arguments that are no object, %s: no tool runs, and the model is told", async (text) => {
    const session = open();
    const tool = { execute: (): never => expect.unreachable() };
    const given = { output: [reasoning("rs_1"), functionCall("call_a", text)] };
    expect(await integrity.executeToolCycle(session, given, tool)).toMatchObject({ success: false, rolledBack: true });
    await integrity.executeToolCycle(session, given, tool, { thrown: "record" });
    const { input } = await ask(session, "openai-responses");
    expect(JSON.stringify(input.at(-1))).toContain("arguments of the call");
    expect(input.at(-3)).toEqual(reasoning("rs_1"));
  });
});

describe("a content of Gemini's", () => {
  it("its parts are in the next request in their order, each signature at its part", async () => {
    const session = open();
    const parts = [
      { text: "So.", thought: true },
      { text: "I look.", thoughtSignature: "dGV4dA" },
      { functionCall: { id: "f1", name: "read", args: { file: "a" } }, thoughtSignature: SIGNATURE },
      { functionCall: { id: "f2", name: "read", args: {} } },
      { executableCode: { language: "PYTHON", code: "1" } },
      { text: "", thoughtSignature: "ZW5k" },
    ];
    const { results } = await integrity.executeToolCycle(session, { role: "model", parts }, echo);
    expect(results?.map(({ tool_use_id: id }) => id)).toEqual(["f1", "f2"]);
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
    const { contents } = await ask(session, "google-generative-ai");
    expect(contents[1]).toEqual({ role: "model", parts });
    expect(contents[2]!.parts.map(({ functionResponse }) => functionResponse)).toMatchObject([
      { id: "f1", name: "read" },
      { id: "f2", name: "read" },
    ]);
  });

  it("a call without an id is sent without one, also the same call in a later answer", async () => {
    const session = open();
    const part = { functionCall: { name: "read", args: {} }, thoughtSignature: SIGNATURE };
    for (let answers = 1; answers <= 2; answers++) {
      const { contents } = await ask(session, "google-generative-ai");
      expect(contents).toHaveLength(2 * answers - 1);
      const cycle = await integrity.executeToolCycle(session, { parts: [part, part] }, echo);
      expect(cycle).toMatchObject({ success: true });
    }
    const { contents } = await ask(session, "google-generative-ai");
    expect(contents[3]).toEqual({ role: "model", parts: [part, part] });
    expect(JSON.stringify(contents)).not.toContain('"id"');
  });

  it("words and calls without a signature are taken in a session of Anthropic's format", async () => {
    const session = open("anthropic");
    const parts = [{ text: "I look." }, { functionCall: { id: "f1", name: "read", args: {} } }];
    await integrity.executeToolCycle(session, { role: "model", parts }, echo);
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
    const { contents } = await ask(session, "google-generative-ai");
    expect(contents[1]!.parts).toMatchObject([{ text: "I look." }, { functionCall: { name: "read" } }]);
  });
});

const call = { functionCall: { name: "read", args: {} } };

it.each<[string, Json]>([
  ["reasoning", { output: [reasoning("rs_1"), functionCall("call_a")] }],
  ["a server's item", { output: [functionCall("call_a"), { type: "web_search_call", id: "ws_1" }] }],
  ["a custom call", { output: [{ type: "custom_tool_call", call_id: "c", name: "patch", input: "x" }] }],
  ["a phase", { output: [says("Hm.", { phase: "commentary" }), functionCall("call_a")] }],
  ["a signature", { parts: [{ ...call, thoughtSignature: SIGNATURE }] }],
  ["a thought", { parts: [{ text: "So.", thought: true }, call] }],
  ["a picture", { parts: [{ inlineData: { mimeType: "image/png", data: "aaaa" } }, call] }],
])(
  "a session of Anthropic's format cannot hold %s: told before a tool runs, with the format to choose",
  async (_, given) => {
    const session = open("anthropic");
    const tool = { execute: (): never => expect.unreachable() };
    await expect(integrity.executeToolCycle(session, given as unknown as GivenCall, tool)).rejects.toMatchObject({
      code: "bad-call",
      message: expect.stringContaining('{ format: "openclaw" }') as string,
    });
    expect(session.messages).toHaveLength(1);
    expect(await integrity.executeToolCycle(open(), given as unknown as GivenCall, echo)).toMatchObject({
      success: true,
    });
  },
);

const deep = deepObject(100_000);
it.each<[string, unknown]>([
  ["no item", { output: [] }],
  ["words alone", { output: [reasoning("rs_1"), says("Done.")] }],
  ["an item that is none", { output: [functionCall("call_a"), null] }],
  ["a text for an item", { output: ["x".repeat(10_000), functionCall("call_a")] }],
  ["one id for two calls", { output: [functionCall("call_a"), functionCall("call_a")] }],
  ["a call without an id", { output: [functionCall("call_a", "{}", { call_id: undefined })] }],
  [
    "a call that no tool of a program answers",
    { output: [functionCall("call_a"), { type: "computer_call", call_id: "c", action: {} }] },
  ],
  ["no part", { parts: [] }],
  ["a thought alone", { role: "model", parts: [{ text: "So.", thought: true }] }],
  ["a part that is none", { parts: [call, 5] }],
  [
    "one id for two calls of Gemini's",
    { parts: [1, 2].map(() => ({ functionCall: { id: "f", name: "a", args: {} } })) },
  ],
  ["a call without a name", { parts: [{ functionCall: { args: {} } }] }],
  ["parts of the user's", { role: "user", parts: [call] }],
  ["items that are too deep to be ones", { output: deep }],
  ["items with a million ways", { output: [functionCall("call_a"), { type: "mcp_call", output: shared(20) }] }],
])("%s: bad-call, and nothing runs", async (_, given) => {
  const session = open();
  const tool = { execute: (): never => expect.unreachable() };
  const failure = integrity.executeToolCycle(session, given as GivenCall, tool);
  await expect(failure).rejects.toMatchObject({ code: "bad-call" });
  expect(String(await failure.catch((error: unknown) => error)).length).toBeLessThan(500);
  expect(session.messages).toHaveLength(1);
});

it.each<[string, Json]>([
  ["a reasoning item", { output: [reasoning("rs_1", { summary: deep }), functionCall("call_a")] }],
  [
    "an item with thousands of ways",
    { output: [{ type: "mcp_call", id: "mcp_1", output: shared(12) }, functionCall("a")] },
  ],
  ["the type of an item", { output: [{ type: deep }, functionCall("call_a")] }],
  ["arguments", { output: [functionCall("call_a", `{"a":${"[".repeat(1000)}${"]".repeat(1000)}}`)] }],
  ["the words", { output: [says("", { content: deep }), functionCall("call_a")] }],
  ["arguments of Gemini's", { parts: [{ functionCall: { id: "f1", name: "read", args: deep } }] }],
  ["a signature", { parts: [{ ...call, thoughtSignature: deep }] }],
  ["another part", { parts: [{ executableCode: deep }, call] }],
])("%s that nests deeply is stored, and the history can be sent to each API", async (_, given) => {
  const session = open();
  expect(await integrity.executeToolCycle(session, given as unknown as GivenCall, echo)).toMatchObject({
    success: true,
  });
  expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
  for (const api of APIS) await ask(session, api);
});

const text = fc.string({ unit: "grapheme", maxLength: 8 });
const args = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
const item = fc.oneof(
  {
    weight: 3,
    arbitrary: args.map((given) => ({ kind: "call", make: (id: string) => functionCall(id, JSON.stringify(given)) })),
  },
  text.map((input) => ({
    kind: "call",
    make: (id: string) => ({ type: "custom_tool_call", id: `ctc_${id}`, call_id: id, name: "patch", input }),
  })),
  {
    weight: 3,
    arbitrary: fc
      .record({ encrypted_content: fc.constantFrom("gAAA", null) }, { requiredKeys: [] })
      .map((fields) => ({ kind: "reasoning", make: (id: string) => reasoning(`rs_${id}`, fields) })),
  },
  text.map((words) => ({ kind: "words", make: (id: string) => says(words, { id: `msg_${id}` }) })),
  fc.constant({
    kind: "server",
    make: (id: string) => ({
      type: "web_search_call",
      id: `ws_${id}`,
      status: "completed",
      action: { type: "search", query: "q" },
    }),
  }),
);
const signed = fc.constantFrom({}, { thoughtSignature: SIGNATURE });
const part = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(args, signed, fc.boolean()).map(([given, beside, hasId]) => ({
      kind: "call",
      make: (id: string) => ({ functionCall: { ...(hasId && { id }), name: "read", args: given }, ...beside }),
    })),
  },
  fc.tuple(text, signed, fc.constantFrom({}, { thought: true })).map(([words, beside, thought]) => ({
    kind: "words",
    make: () => ({ text: words, ...beside, ...thought }),
  })),
  fc.constant({ kind: "other", make: () => ({ executableCode: { language: "PYTHON", code: "1" } }) }),
);

/** What was run by two answers in a row. */
async function runBoth(answers: readonly object[], asked: WireApi): Promise<{ session: Session; ran: string[] }> {
  const session = open();
  const ran: string[] = [];
  const executor = {
    execute: (name: string, _input: unknown, { id }: { id: string }) => {
      ran.push(id);
      return `${name} ran`;
    },
  };
  for (const answer of answers) {
    await ask(session, asked);
    expect(await integrity.executeToolCycle(session, answer as GivenCall, executor)).toMatchObject({ success: true });
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
  }
  return { session, ran };
}

/** What is told of an item, to see that it is there again, in its place. */
const told = ({ type, id, call_id: callId, encrypted_content: words }: Json): unknown[] =>
  type === "reasoning" ? [type, id, words] : type === "web_search_call" ? [type, id] : [type, callId];

describe("any mix", () => {
  it("of items: each call runs once, reasoning and ids keep their places, and each API takes the next request", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(item, { maxLength: 7 }), { minLength: 1, maxLength: 2 }), async (drawn) => {
        const outputs = drawn.map((items, at) => [
          ...items.map(({ make }, place) => make(`${at}_${place}`)),
          functionCall(`${at}_last`),
        ]) as Json[][];
        const { session, ran } = await runBoth(
          outputs.map((output) => ({ output })),
          "openai-responses",
        );
        const calls = outputs.flat().filter(({ call_id: id }) => id !== undefined);
        expect(ran).toEqual(calls.map(({ call_id: id }) => id));
        const { input } = await ask(session, "openai-responses");
        const isTold = ({ type }: Json): boolean => !/message|output/.test(String(type));
        expect(input.filter(isTold).map(told)).toEqual(outputs.flat().filter(isTold).map(told));
        for (const api of APIS) await ask(session, api);
      }),
      { numRuns: RUNS },
    );
  });

  it("of parts: each call runs once, signatures and ids keep their places, and each API takes the next request", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(part, { maxLength: 7 }), { minLength: 1, maxLength: 2 }), async (drawn) => {
        const answers = drawn.map((parts, at) => [
          ...parts.map(({ make }, place) => make(`f${at}_${place}`)),
          { functionCall: { name: "read", args: { at } }, thoughtSignature: SIGNATURE },
        ]) as Json[][];
        const { session, ran } = await runBoth(
          answers.map((parts) => ({ role: "model", parts })),
          "google-generative-ai",
        );
        const calls = answers.flat().filter(({ functionCall: given }) => given !== undefined);
        expect(ran).toHaveLength(calls.length);
        expect(new Set(ran).size).toBe(calls.length);
        const { contents } = await ask(session, "google-generative-ai");
        const models = contents.filter(({ role }) => role === "model").map(({ parts }) => parts);
        const isSaid = ({ text: words, thoughtSignature }: Json): boolean =>
          typeof words !== "string" || words.trim() !== "" || thoughtSignature !== undefined;
        const unsigned = JSON.stringify(models).replaceAll(
          ',"thoughtSignature":"skip_thought_signature_validator"',
          "",
        );
        expect(JSON.parse(unsigned)).toEqual(answers.map((parts) => parts.filter(isSaid)));
        for (const api of APIS) await ask(session, api);
      }),
      { numRuns: RUNS },
    );
  });
});
