import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { APIS } from "../../harness/arbitrary/bodies.ts";
import { corruptHistory, healthyFrom } from "../../harness/arbitrary/history.ts";
import { withKnownTypes } from "../../harness/arbitrary/known-types.ts";
import { listViolations } from "../../harness/providers/index.ts";
import { UNKNOWN_OUTCOME } from "../transcript/json/text.ts";
import { historyField } from "./apis.ts";
import { check, heal } from "./index.ts";

const RUNS = Number(process.env.PROPERTY_RUNS ?? 80);
type Json = Record<string, unknown>;
type Api = (typeof APIS)[number];

const bodyWith = (api: Api, history: unknown): Json => ({
  model: "some-model",
  ...(api === "anthropic-messages" && { max_tokens: 9 }),
  [historyField(api)!]: history,
});

/** The calls and results of a healed body, in their order: Gemini's have no ids and answer the calls before them. */
function told(api: Api, body: Json): { call: string; result: string }[] {
  const items = body[historyField(api)!] as Json[];
  const blocks = items.flatMap((item): Json[] => {
    const list = item.parts ?? item.content;
    return [item, ...(Array.isArray(list) ? (list as Json[]) : []), ...((item.tool_calls as Json[] | undefined) ?? [])];
  });
  const calls = new Map<unknown, string>();
  const waiting: string[] = [];
  const pairs: { call: string; result: string }[] = [];
  for (const block of blocks) {
    const { toolUse, toolResult, functionCall, functionResponse } = block as Record<string, Json | undefined>;
    const said = JSON.stringify(block);
    if (functionCall) waiting.push(said);
    else if (functionResponse) pairs.push({ call: waiting.shift() ?? "no call", result: said });
    else if (toolUse) calls.set(toolUse.toolUseId, said);
    else if (block.type === "tool_use" || block.function) calls.set(block.id, said);
    else if (block.type === "function_call") calls.set(block.call_id, said);
    else {
      const answered = toolResult?.toolUseId ?? block.tool_use_id ?? block.tool_call_id;
      const id = block.type === "function_call_output" ? block.call_id : answered;
      if (id !== undefined) pairs.push({ call: calls.get(id) ?? "no call", result: said });
    }
  }
  return pairs;
}

function expectValid(api: Api, body: Json): Json {
  const healed = heal(api, body);
  expect(check(api, healed)).toEqual([]);
  // The text as it is: the SDK makes a list of it.
  if (typeof healed.contents !== "string") expect(listViolations(api, withKnownTypes(api, healed))).toEqual([]);
  expect(heal(api, healed)).toBe(healed);
  expect(JSON.stringify(heal(api, structuredClone(body)))).toBe(JSON.stringify(healed));
  return healed;
}

describe.each(APIS)("what stands in a body of %s in another form", (api) => {
  it("tells a result in OpenClaw's stored form as that of its call, and as no unknown outcome", () => {
    const healed = expectValid(
      api,
      bodyWith(api, [
        { role: "user", content: "pay 17" },
        { role: "assistant", content: [{ type: "toolCall", id: "c1", name: "pay", arguments: { invoice: 17 } }] },
        { role: "toolResult", toolCallId: "c1", toolName: "pay", content: [{ type: "text", text: "paid" }] },
        { role: "user", content: "and?" },
      ]),
    );
    const [{ call, result } = {}, ...more] = told(api, healed);
    expect([call, result, more]).toEqual([expect.stringContaining("invoice"), expect.stringContaining("paid"), []]);
    expect(JSON.stringify(healed)).not.toContain("Its outcome is unknown");
  });

  it.each([
    [
      "of chat servers",
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", function: { name: "pay", arguments: '{"n":17}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "paid" },
    ],
    [
      "of Gemini",
      { role: "model", parts: [{ text: "I pay" }, { functionCall: { name: "pay", args: { n: 17 } } }] },
      { role: "user", parts: [{ functionResponse: { name: "pay", response: { output: "paid" } } }] },
    ],
    [
      "of Bedrock",
      { role: "assistant", content: [{ toolUse: { toolUseId: "c1", name: "pay", input: { n: 17 } } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "c1", content: [{ text: "paid" }] } }] },
    ],
    [
      "of Anthropic",
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "pay", input: { n: 17 } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "paid" }] },
    ],
  ])("pairs a call and a result in the form %s", (_form, asked, answered) => {
    const healed = expectValid(api, bodyWith(api, [{ role: "user", content: "pay 17" }, asked, answered]));
    const [{ call, result } = {}, ...more] = told(api, healed);
    expect([call, result, more]).toEqual([expect.stringContaining("17"), expect.stringContaining("paid"), []]);
  });

  it("a healthy stored history: each call keeps its own result", () => {
    for (let seed = 0; seed < 60; seed++) {
      const history = healthyFrom(seed, 1 + (seed % 5));
      const healed = expectValid(api, bodyWith(api, history));
      const pairs = told(api, healed);
      expect(pairs.length).toBe(JSON.stringify(history).split('"role":"toolResult"').length - 1);
      for (const { call, result } of pairs) {
        const [mark] = /r\d+ end/.exec(result)!;
        expect(call).toContain(mark.replace("r", "c"));
      }
      expect(JSON.stringify(healed)).not.toContain(UNKNOWN_OUTCOME);
    }
  });

  it("any corrupt stored history: valid, no text and no result lost, each result with its call", () => {
    fc.assert(
      fc.property(corruptHistory, ({ messages, texts, results }) => {
        const healed = expectValid(api, bodyWith(api, messages));
        const said = JSON.stringify(healed);
        for (const text of texts) expect(said).toContain(text.trim());
        const pairs = told(api, healed);
        for (const { text, call } of results) {
          expect(said).toContain(text);
          const own = pairs.find(({ result }) => result.includes(text));
          if (own && own.call.includes("mark")) expect(own.call).toContain(call);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("keeps the text of a history that is no list, or in the field of another API", () => {
    const words = "Please help";
    const message = { role: "user", content: words };
    for (const history of [words, message, [words], [message], [{ role: "user", parts: [{ text: words }] }]]) {
      for (const field of ["messages", "input", "contents"]) {
        const body = { ...bodyWith(api, undefined), [field]: history };
        const healed = expectValid(api, body);
        expect(JSON.stringify(healed)).toContain(words);
        expect(JSON.stringify(healed)).not.toContain("[Start of");
        expect(JSON.stringify(healed).split(words)).toHaveLength(2);
        if (field !== historyField(api)) expect(check(api, body).map(({ rule }) => rule)).toContain("history_field");
      }
    }
  });

  it("keeps what a message says without content, and content that is a date", () => {
    const healed = expectValid(
      api,
      bodyWith(api, [
        { role: "bashExecution", command: "ls /srv", output: "invoices.csv", exitCode: 0 },
        { role: "assistant", content: "I looked" },
        { role: "branchSummary", summary: "We went back", fromId: "e1" },
        { role: "user", content: new Date(0) },
      ]),
    );
    for (const words of ["ls /srv", "invoices.csv", "I looked", "We went back", "1970-01-01T00:00:00.000Z"])
      expect(JSON.stringify(healed)).toContain(words);
  });
});
