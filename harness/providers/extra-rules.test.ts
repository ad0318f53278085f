import { describe, expect, test } from "vitest";
import { hello } from "./client.ts";
import { toolHistory, type Round } from "./histories.ts";
import {
  APIS,
  atMostToolBlocks,
  atMostToolUses,
  noImageInToolResult,
  noParallelCalls,
  noTextBesideToolUse,
  noToolBlocksAtAll,
  noToolNamed,
  noToolResultOver,
  noToolUseBeforeMessage,
  randomExtraRule,
  refuseEverything,
  toolNameAmong,
  listViolations,
  type Api,
  type ExtraRule,
} from "./index.ts";

const read = { name: "read", result: "fine" };
const exec = { name: "exec", result: "fine" };

interface Row {
  rule: ExtraRule;
  broken: Round[];
  kept: Round[];
  /** Where it breaks, for each API in the order of APIS. */
  at: [string, string, string, string, string];
}

/** The paths of the nth call (from 0) of the first round with calls only. */
const FIRST_CALL: Row["at"] = [
  "messages.1.content.0",
  "messages[2].tool_calls[0]",
  "input[1]",
  "contents[1].parts[0]",
  "messages.1.content.0",
];
const SECOND_CALL: Row["at"] = [
  "messages.1.content.1",
  "messages[2].tool_calls[1]",
  "input[2]",
  "contents[1].parts[1]",
  "messages.1.content.1",
];
const FIRST_RESULT: Row["at"] = [
  "messages.2.content.0",
  "messages[3]",
  "input[2]",
  "contents[2].parts[0]",
  "messages.2.content.0",
];

const ROWS: Row[] = [
  {
    rule: atMostToolUses(2),
    broken: [{ calls: [read, exec, read] }],
    kept: [{ calls: [read, exec] }, { calls: [exec] }],
    at: [
      "messages.1.content.2",
      "messages[2].tool_calls[2]",
      "input[3]",
      "contents[1].parts[2]",
      "messages.1.content.2",
    ],
  },
  {
    rule: atMostToolUses(1),
    broken: [{ calls: [read, exec] }],
    kept: [{ calls: [read] }, { calls: [exec] }],
    at: SECOND_CALL,
  },
  {
    rule: noToolResultOver(100),
    broken: [{ calls: [{ ...read, result: "x".repeat(101) }] }],
    // Gemini's result is JSON: the text and what holds it.
    kept: [{ calls: [{ ...read, result: "x".repeat(87) }] }],
    at: FIRST_RESULT,
  },
  {
    rule: noParallelCalls(),
    broken: [{ calls: [read, read] }],
    kept: [{ calls: [read] }, { calls: [read] }],
    at: SECOND_CALL,
  },
  { rule: toolNameAmong(["read"]), broken: [{ calls: [read, exec] }], kept: [{ calls: [read] }], at: SECOND_CALL },
  { rule: noToolNamed("exec"), broken: [{ calls: [exec] }], kept: [{ calls: [read] }], at: FIRST_CALL },
  { rule: noToolBlocksAtAll(), broken: [{ calls: [read] }], kept: [], at: FIRST_CALL },
  {
    rule: noTextBesideToolUse(),
    broken: [{ text: "let me see", calls: [read] }],
    kept: [{ calls: [read] }],
    at: [
      "messages.1.content.1",
      "messages[2].tool_calls[0]",
      "input[2]",
      "contents[1].parts[1]",
      "messages.1.content.1",
    ],
  },
  { rule: noToolUseBeforeMessage(3), broken: [{ calls: [read] }], kept: [], at: FIRST_CALL },
  {
    rule: noImageInToolResult(),
    broken: [{ calls: [{ ...read, image: true }] }],
    kept: [{ calls: [read] }],
    at: FIRST_RESULT,
  },
  { rule: atMostToolBlocks(1), broken: [{ calls: [read] }], kept: [], at: FIRST_RESULT },
];

describe.each(ROWS.map((row): [string, Row] => [row.rule.name, row]))("%s", (_name, { rule, broken, kept, at }) => {
  test.each(APIS)("%s", (api: Api) => {
    const bad = toolHistory(api, broken).body;
    // Chat Completions refuses images in results itself.
    if (!(api === "openai-completions" && /Image/.test(rule.name))) expect(listViolations(api, bad)).toEqual([]);
    const path = at[APIS.indexOf(api)] ?? "";
    expect(rule.check(api, bad)).toMatchObject({ status: 400, path, message: expect.stringContaining(path) });
    for (const rounds of [kept, []]) {
      const good = toolHistory(api, rounds).body;
      expect(listViolations(api, good)).toEqual([]);
      expect(rule.check(api, good)).toBeUndefined();
    }
  });
});

test("thinking beside a call is no text", () => {
  const parts = [{ text: "hm", thought: true }, { functionCall: { name: "read", args: {} } }];
  expect(noTextBesideToolUse().check("google-generative-ai", { contents: [{ role: "model", parts }] })).toBeUndefined();
});

test("a call behind the first messages keeps noToolUseBeforeMessage", () => {
  for (const api of APIS)
    expect(noToolUseBeforeMessage(1).check(api, toolHistory(api, [{ calls: [read] }]).body)).toBeUndefined();
});

test("refusals in the style of each API, with an index, without, and saying nothing", () => {
  const told = (telling: "indexed" | "plain" | "bare") =>
    APIS.map((api) => noParallelCalls(telling).check(api, toolHistory(api, [{ calls: [read, read] }]).body));
  expect(told("indexed").map((one) => one?.message)).toEqual([
    "messages.1.content.1: this model does not support parallel `tool_use` blocks.",
    "Invalid 'messages[2].tool_calls[1]': this model does not support parallel tool calls.",
    "Invalid 'input[2]': this model does not support parallel function calls.",
    "* GenerateContentRequest.contents[1].parts[1]: this model does not support parallel function call parts.",
    "The ContentBlock object at messages.1.content.1 is not valid: this model does not support parallel toolUse blocks.",
  ]);
  expect(told("plain")[0]).toEqual({
    status: 400,
    message: "This model does not support parallel `tool_use` blocks.",
    path: "",
  });
  const nothing = "Invalid request";
  expect(told("bare").map((one) => one?.message)).toEqual([
    nothing,
    nothing,
    nothing,
    "Request contains an invalid argument.",
    nothing,
  ]);
});

test("refuseEverything refuses plain text too, in words that the API has", () => {
  for (const api of APIS)
    expect(refuseEverything("missingResult").check(api, hello(api).body)?.message).toMatch(/tool|function/i);
  expect(refuseEverything().check("anthropic-messages", {})?.message).toContain("unexpected `tool_use_id`");
});

test("a seed picks always the same rule, and all of them are picked", () => {
  const names = Array.from({ length: 400 }, (_, seed) => randomExtraRule(seed).name);
  expect(Array.from({ length: 400 }, (_, seed) => randomExtraRule(seed).name)).toEqual(names);
  const kinds = new Set(names.map((name) => name.replace(/\(.*\)/, "")));
  expect(kinds.size).toBe(30);
});

test("a conversation in plain text keeps every random rule, whatever tools the request defines", () => {
  for (let seed = 0; seed < 400; seed++) {
    for (const api of APIS) expect(randomExtraRule(seed).check(api, toolHistory(api, []).body)).toBeUndefined();
  }
});

test("no body makes a rule throw", () => {
  const bodies: unknown[] = [null, 1, "x", [], {}, { messages: 1, contents: {}, input: null }];
  for (const odd of [null, 1, "x", [], {}, { content: 1, parts: {}, tool_calls: "x", type: [] }]) {
    bodies.push({ messages: [odd], contents: [odd], input: [odd] });
    const within = [
      { role: "assistant", content: [odd], parts: [odd], tool_calls: [odd], type: "function_call", output: [odd] },
    ];
    bodies.push({ messages: within, contents: within, input: within });
  }
  for (const { rule } of ROWS)
    for (const api of APIS) for (const body of bodies) expect(() => rule.check(api, body)).not.toThrow();
});

test("the calls of built-in tools on Responses count as calls", () => {
  const shell = (id: string) => ({ type: "shell_call", call_id: id, action: { commands: ["ls"] } });
  const input = [
    { role: "user", content: "go" },
    shell("a"),
    shell("b"),
    { type: "shell_call_output", call_id: "a", output: [] },
  ];
  expect(noParallelCalls().check("openai-responses", { input })?.path).toBe("input[2]");
});
