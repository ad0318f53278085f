import { describe, expect, it } from "vitest";
import { RECORDED_APIS, loadRecorded } from "../../harness/recorded/recorded.ts";
import { FORMS } from "./forms.ts";
import { repair, validate } from "./index.ts";

const call = { id: "c1", type: "function", function: { name: "pay", arguments: "{}" } };

/** Lists of other programs, as they store them. */
const UNKNOWN: [string, unknown[]][] = [
  [
    "rows of Claude Code",
    [
      { type: "user", uuid: "u1", parentUuid: null, message: { role: "user", content: "Pay invoice 17." } },
      { type: "assistant", uuid: "u2", message: { role: "assistant", content: [{ type: "tool_use", id: "t1" }] } },
    ],
  ],
  ["rows of Codex", [{ type: "response_item", payload: { type: "function_call", call_id: "c1", name: "pay" } }]],
  ["messages of pydantic-ai", [{ kind: "request", parts: [{ part_kind: "user-prompt", content: "Pay." }] }]],
  ["events of OpenHands", [{ kind: "MessageEvent", source: "user", llm_message: { role: "user", content: [] } }]],
  ["messages of opencode", [{ info: { id: "m1", role: "user" }, parts: [{ type: "text", text: "Pay." }] }]],
  ["ShareGPT", [{ from: "human", value: "Pay." }]],
  [
    "messages of goose",
    [
      { role: "user", created: 1, content: [{ type: "text", text: "Pay." }] },
      { role: "assistant", created: 2, content: [{ type: "toolRequest", id: "c1", toolCall: { value: {} } }] },
    ],
  ],
  [
    "messages of SWE-agent",
    [
      { role: "user", content: "Pay.", agent: "main" },
      { role: "assistant", content: "I pay.", agent: "main", tool_calls: [call] },
      { role: "tool", content: "paid", agent: "main", tool_call_ids: ["c1"] },
    ],
  ],
  [
    "messages of Ollama",
    [
      { role: "user", content: "Pay." },
      { role: "assistant", content: "", tool_calls: [{ function: { name: "pay", arguments: { invoice: 17 } } }] },
      { role: "tool", content: "paid", tool_name: "pay" },
    ],
  ],
  [
    "messages of AG-UI",
    [
      { id: "1", role: "user", content: "Pay." },
      { id: "2", role: "assistant", toolCalls: [call] },
      { id: "3", role: "tool", toolCallId: "c1", content: "paid" },
    ],
  ],
  ["a result of AG-UI", [{ id: "3", role: "tool", toolCallId: "c1", content: "paid" }]],
  [
    "messages of A2A",
    [
      { role: "user", parts: [{ kind: "text", text: "Pay." }] },
      { role: "agent", parts: [{ kind: "text", text: "paid" }] },
    ],
  ],
  [
    "messages of Mastra",
    [
      { id: "1", role: "user", content: { format: 2, parts: [{ type: "text", text: "Pay." }] } },
      { id: "2", role: "assistant", content: { format: 2, parts: [{ type: "text", text: "paid" }] } },
    ],
  ],
  [
    "messages of OpenAI Assistants",
    [{ id: "m", object: "thread.message", role: "user", content: [{ type: "text", text: { value: "Pay." } }] }],
  ],
  [
    "messages of LlamaIndex",
    [
      { role: "user", blocks: [{ block_type: "text", text: "Pay." }], additional_kwargs: {} },
      { role: "assistant", blocks: [{ block_type: "text", text: "paid" }], additional_kwargs: {} },
    ],
  ],
  [
    "messages of LlamaIndex with calls",
    [
      { role: "user", blocks: [{ block_type: "text", text: "Pay." }] },
      { role: "assistant", content: null, tool_calls: [call] },
    ],
  ],
  [
    "items of the Realtime API",
    [{ id: "i1", object: "realtime.item", type: "function_call", call_id: "c1", name: "pay", arguments: "{}" }],
  ],
  [
    "messages of MCP's sampling",
    [
      { role: "user", content: { type: "text", text: "Pay." } },
      { role: "assistant", content: { type: "text", text: "paid" } },
    ],
  ],
  [
    "calls of MCP's sampling",
    [
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "pay", input: {} }] },
      { role: "user", content: [{ type: "tool_result", toolUseId: "c1", content: [{ type: "text", text: "paid" }] }] },
    ],
  ],
  [
    "texts",
    [
      { role: "user", text: "Pay." },
      { role: "assistant", text: "paid" },
    ],
  ],
  [
    "texts with the name message",
    [
      { role: "user", message: "Pay." },
      { role: "assistant", message: "paid" },
    ],
  ],
  [
    "messages of TanStack AI",
    [
      { id: "1", role: "user", parts: [{ type: "text", content: "Pay." }] },
      { id: "2", role: "assistant", parts: [{ type: "tool-call", id: "c1", name: "pay", arguments: "{}" }] },
    ],
  ],
  [
    "LangChain's serialised objects",
    [{ lc: 1, type: "constructor", id: ["langchain_core"], kwargs: { content: "Pay." } }],
  ],
  ["rows of metadata alone", [{ role: "session_meta" }]],
  ["objects", [{}]],
  ["values", [null, 42, "text", []]],
  ["a list with a hole", Array.from({ length: 1 })],
];

describe.each([
  ["repair", repair],
  ["validate", validate],
])("%s refuses a list in no known form", (name, work) => {
  it.each(UNKNOWN)("%s", (_what, list) => {
    const before = JSON.stringify(list);
    expect(() => work(list)).toThrow(TypeError);
    expect(() => work(list)).toThrow(`${name}() expects a list in one of these forms: `);
    for (const form of Object.values(FORMS)) expect(() => work(list)).toThrow(form);
    expect(JSON.stringify(list)).toBe(before);
  });

  it("and names the fields that it found, without their values", () => {
    const list = [{ from: "human", value: "a secret" }];
    expect(() => work(list)).toThrow("found an object with fields from, value at index 0.");
    expect(() => work(list)).not.toThrow("a secret");
  });

  it("but not an empty one", () => {
    expect(() => work([])).not.toThrow();
  });
});

const invocation = { state: "result", toolCallId: "c1", toolName: "pay", args: {}, result: "paid" };

it.each<[string, unknown]>([
  ["toolInvocations", { role: "assistant", content: "", toolInvocations: [invocation] }],
  ["an invocation as a part", { role: "assistant", parts: [{ type: "tool-invocation", toolInvocation: invocation }] }],
  ["args", { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "pay", args: {} }] }],
  ["result", { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "pay", result: "paid" }] }],
])("a list of AI SDK 4 is refused by its name, and no call of it is emptied: %s", (_what, message) => {
  const list = [{ role: "user", content: "Pay." }, message];
  expect(() => repair<unknown>(list)).toThrow(TypeError);
  expect(() => validate(list)).toThrow(
    "at index 1. It is a message of AI SDK 4: convert the list to messages of AI SDK 5",
  );
});

/** A request that continues what the server holds, and one whose only message is empty. */
const OF_THE_BODY = new Set([2, 3, 226, 250]);

it.each(RECORDED_APIS)("every list that a provider has accepted is the same object behind the repair: %s", (api) => {
  let count = 0;
  for (const [at, { status, body }] of loadRecorded(api)) {
    const list = body["messages"] ?? body["input"] ?? body["contents"];
    if (status !== 200 || !Array.isArray(list) || (api === "openai-responses" && OF_THE_BODY.has(at))) continue;
    count++;
    expect(validate(list), `${api} ${at}`).toEqual([]);
    expect(repair<unknown>(list).messages, `${api} ${at}`).toBe(list);
  }
  expect(count).toBeGreaterThan(100);
});

describe("OpenAI's own shape of items is not asked of other servers' lists", () => {
  it("but the rules of its calls are", () => {
    const thought = {
      type: "reasoning",
      id: "2c05",
      encrypted_content: null,
      summary: [],
      content: [{ type: "reasoning_text", text: "hm" }],
    };
    const list = [{ role: "user", content: "a" }, thought, { role: "assistant", content: "b" }];
    expect(validate(list)).toEqual([]);
    const open = [...list, { type: "function_call", call_id: "c1", name: "pay", arguments: "{}" }];
    expect(repair<object>(open).messages.slice(0, 4)).toEqual(open);
    expect(validate(open).map(({ kind }) => kind)).toEqual(["missing_tool_result"]);
  });
});
