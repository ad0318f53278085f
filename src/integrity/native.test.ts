import { describe, expect, it } from "vitest";
import { SERVER_BLOCKS } from "../transcript/server-blocks.ts";
import { repairIn, violationsIn } from "./native.ts";

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });

describe("what Anthropic's server made", () => {
  it.each([...SERVER_BLOCKS])("stays as it is in a session that is repaired for something else: %s", (type) => {
    const made = { type, id: "srvtoolu_1", tool_use_id: "srvtoolu_1", name: "advisor", input: {}, content: { type: "advisor_result", text: "Cut scope." }, data: "abc" };
    const open = { type: "tool_use", id: "toolu_1", name: "exec", input: {} };
    const { messages, repaired } = repairIn("anthropic", [user("plan"), assistant(made), user("go"), assistant(open), user("and?")]);
    expect(repaired).toBe(true);
    expect((messages[1] as { content: unknown[] }).content[0]).toBe(made);
    expect(violationsIn("anthropic", [user("plan"), assistant(made, { type: "text", text: "ok" }), user("go")])).toEqual([]);
  });
});
