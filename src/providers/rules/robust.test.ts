import { describe, expect, test } from "vitest";
import { MAX_DEPTH } from "../json.ts";
import { APIS, type Api, type JsonObject } from "../types.ts";
import { mutations, nested, texts } from "../../../harness/providers/fixtures.ts";
import { listViolations } from "./index.ts";

/** A tool in each API's form, or as much of it as is looked at. */
const TOOLS: Record<Api, JsonObject> = {
  "anthropic-messages": { name: "exec", input_schema: {} },
  "openai-completions": { type: "function", function: { name: "exec" } },
  "openai-responses": { type: "function", name: "exec" },
  "google-generative-ai": { functionDeclarations: [{ name: "exec" }] },
  "bedrock-converse-stream": {},
};

/** A conversation with `calls` calls of `args` in one turn, in each API's form. */
function conversation(api: Api, calls: number, args: JsonObject): JsonObject {
  const ids = Array.from({ length: calls }, (_, i) => `call${i}`);
  switch (api) {
    case "anthropic-messages":
      return {
        model: "m",
        max_tokens: 1,
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "exec", input: args })) },
          {
            role: "user",
            content: ids.map((id) => ({
              type: "tool_result",
              tool_use_id: id,
              content: [{ type: "text", text: "x" }],
            })),
          },
        ],
      };
    case "openai-completions":
      return {
        model: "m",
        messages: [
          { role: "user", content: [{ type: "text", text: "hi" }] },
          {
            role: "assistant",
            content: null,
            tool_calls: ids.map((id) => ({
              id,
              type: "function",
              function: { name: "exec", arguments: JSON.stringify(args) },
            })),
          },
          ...ids.map((id) => ({ role: "tool", tool_call_id: id, content: "x" })),
        ],
      };
    case "openai-responses":
      return {
        model: "m",
        input: [
          { role: "user", content: [{ type: "input_text", text: "hi" }] },
          { type: "reasoning", id: "rs_paired_1", summary: [] },
          ...ids.map((id) => ({
            type: "function_call",
            id: `fc_paired_1_${id}`,
            call_id: id,
            name: "exec",
            arguments: JSON.stringify(args),
          })),
          ...ids.map((id) => ({ type: "function_call_output", call_id: id, output: "x" })),
        ],
      };
    case "google-generative-ai":
      return {
        contents: [
          { role: "user", parts: [{ text: "hi" }] },
          { role: "model", parts: ids.map((id) => ({ functionCall: { name: "exec", args, id } })) },
          {
            role: "user",
            parts: ids.map((id) => ({ functionResponse: { name: "exec", response: { output: "x" }, id } })),
          },
        ],
      };
    case "bedrock-converse-stream":
      return {
        messages: [
          { role: "user", content: [{ text: "hi" }] },
          {
            role: "assistant",
            content: ids.map((toolUseId) => ({ toolUse: { toolUseId, name: "exec", input: args } })),
          },
          { role: "user", content: ids.map((toolUseId) => ({ toolResult: { toolUseId, content: [{ text: "x" }] } })) },
        ],
      };
  }
}

describe.each(APIS)("%s", (api) => {
  test("answers whatever JSON it is given", () => {
    const whole = conversation(api, 2, { a: 1 });
    expect(texts(listViolations(api, whole))).toEqual([]);
    for (const body of mutations(whole)) {
      for (const { message, status } of listViolations(api, body)) {
        expect(status).toBe(400);
        expect(message).not.toBe("");
      }
    }
  });

  /**
   * The least of three times that a judgement takes, in milliseconds of the CPU, which a loaded machine does not
   * change.
   */
  const measureLeast = (body: JsonObject): number =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const before = process.cpuUsage();
        listViolations(api, body);
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1000;
      }),
    );

  test.each(["calls", "orphans"])("judges sixteen times the %s in less than 64 times the time", (what) => {
    const bodyWith = (calls: number): JsonObject => {
      const body = conversation(api, calls, {});
      const key = api === "openai-responses" ? "input" : api === "google-generative-ai" ? "contents" : "messages";
      if (what === "orphans") (body[key] as unknown[]).splice(1, api === "openai-responses" ? calls + 1 : 1);
      return body;
    };
    const many = bodyWith(16_000);
    expect(listViolations(api, many).length > 0).toBe(what === "orphans");
    // Work that grows with the square takes 256 times as long.
    expect(measureLeast(many)).toBeLessThan(64 * Math.max(1, measureLeast(bodyWith(1_000))));
  });

  test("refuses endless nesting and takes a deep one", () => {
    const args = (depth: number): JsonObject => {
      const body = conversation(api, 1, {});
      // Tool parameters may be any JSON, in every API.
      return { ...body, tools: [{ ...TOOLS[api], more: nested(depth) }] };
    };
    expect(listViolations(api, args(100_000))).toHaveLength(1);
    expect(listViolations(api, args(MAX_DEPTH - 20))).toEqual([]);
  });
});
