import { describe, expect, it } from "vitest";
import { user } from "../../../harness/messages.ts";
import { callTypeFor, SERVER_RESULTS } from "../../transcript/block-types.ts";
import { repairIn, violationsIn } from "./native.ts";

const assistant = (...content: unknown[]) => ({ role: "assistant", content });

/** A call of a tool that the server runs itself, with its result. */
function makePair(type: string): unknown[] {
  const call = {
    type: callTypeFor(type),
    id: "srvtoolu_1",
    name: "advisor",
    input: {},
    ...(type === "mcp_tool_result" && { server_name: "docs" }),
  };
  return [
    call,
    {
      type,
      tool_use_id: "srvtoolu_1",
      content:
        type === "mcp_tool_result"
          ? [{ type: "text", text: "Cut scope." }]
          : { type: "advisor_result", text: "Cut scope." },
    },
  ];
}

describe("what Anthropic's server made", () => {
  it.each([...[...SERVER_RESULTS].map(makePair), [{ type: "redacted_thinking", data: "abc" }]])(
    "stays as it is in a session that is repaired for something else: %j %j",
    (...made) => {
      const open = { type: "tool_use", id: "toolu_1", name: "exec", input: {} };
      const { messages, repaired } = repairIn("anthropic", [
        user("plan"),
        assistant(...made, { type: "text", text: "ok" }),
        user("go"),
        assistant(open),
        user("and?"),
      ]);
      expect(repaired).toBe(true);
      const { content } = messages[1] as { content: unknown[] };
      made.forEach((block, at) => expect(content[at]).toBe(block));
      expect(
        violationsIn("anthropic", [user("plan"), assistant(...made, { type: "text", text: "ok" }), user("go")]),
      ).toEqual([]);
    },
  );
});

it("gives a call no id that was made for an earlier one: servers begin with the same id in each answer", () => {
  const turn = (words: string): unknown[] => [
    user(words),
    assistant({ type: "tool_use", id: "functions.exec:0", name: "exec", input: { words } }),
    { role: "user", content: [{ type: "tool_result", tool_use_id: "functions.exec:0", content: words }] },
    assistant({ type: "text", text: "Done." }),
  ];
  let stored: readonly unknown[] = [];
  for (const words of ["one", "two", "three"]) {
    stored = repairIn("anthropic", [...stored, ...turn(words)]).messages;
    expect(violationsIn("anthropic", stored)).toEqual([]);
  }
  expect(new Set(JSON.stringify(stored).match(/"id":"[^"]+"/g)).size).toBe(3);
});
