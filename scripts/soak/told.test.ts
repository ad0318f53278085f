import { expect, test } from "vitest";
import { toldWrongly } from "./told.ts";

const COMMAND = "sh /w/work.sh c1m1k1 250 0";
const MISSING = "[openclaw] missing tool result in session history; inserted synthetic error result";
const BODIES = {
  anthropic: (text: string) => ({
    messages: [
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "exec", input: { command: COMMAND } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text }] }] },
    ],
  }),
  completions: (text: string) => ({
    messages: [
      {
        role: "assistant",
        tool_calls: [{ id: "a", function: { name: "exec", arguments: JSON.stringify({ command: COMMAND }) } }],
      },
      { role: "tool", tool_call_id: "a", content: text },
    ],
  }),
  responses: (text: string) => ({
    input: [
      { type: "function_call", call_id: "a", name: "exec", arguments: JSON.stringify({ command: COMMAND }) },
      { type: "function_call_output", call_id: "a", output: text },
    ],
  }),
  gemini: (text: string) => ({
    contents: [
      { role: "model", parts: [{ functionCall: { name: "exec", args: { command: COMMAND } } }] },
      { role: "user", parts: [{ functionResponse: { name: "exec", response: { output: text } } }] },
    ],
  }),
};

test.each(Object.entries(BODIES))("%s: finds what is said of a command that has begun and is not so", (_, body) => {
  const begun = (): boolean => true;
  expect(toldWrongly(body(MISSING), begun)).toEqual(["c1m1k1"]);
  expect(toldWrongly(body("The call was not started."), begun)).toEqual(["c1m1k1"]);
  expect(toldWrongly(body("The call was not started."), () => false)).toEqual([]);
  expect(toldWrongly(body(`outcome-c1m1k1-${(250 + 7) * 7919}`), begun)).toEqual([]);
  expect(toldWrongly(body("It began; its outcome is unknown."), begun)).toEqual([]);
});
