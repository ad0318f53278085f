import { expect, test, vi } from "vitest";
import { agentMemory, sessionMemory } from "../base/memory.ts";
import type { GuardContext, GuardedSession } from "../openclaw/session.ts";
import { countAsSaid, noteForgotten } from "./forgotten.ts";

const user = (text: string, timestamp: number): object => ({ role: "user", content: text, timestamp });
const result = (text: string, toolCallId: string): object => ({
  role: "toolResult",
  toolCallId,
  toolName: "exec",
  isError: false,
  content: [{ type: "text", text }],
  details: {},
});

/** Sends two requests of a session whose history is loaded whole; returns what is said of the second. */
function writtenLines(name: string, loaded: object[], first: object[], second: object[]): string[] {
  const written = vi.spyOn(console, "warn").mockImplementation(() => {});
  const agent = {};
  agentMemory(agent).loaded = loaded;
  const session = { agent, sessionManager: { getBranch: () => [], getEntries: () => [] } } as unknown as GuardedSession;
  const context = { sessionId: name } as GuardContext;
  const memory = sessionMemory(name);
  for (const messages of [first, second]) {
    noteForgotten(session, context, memory, { messages });
    countAsSaid(memory);
  }
  const lines = written.mock.calls.map(([line]) => String(line));
  written.mockRestore();
  return lines.filter((line) => line.includes("forgotten:"));
}

const ASKED = user("how many?", 1);
const NEXT = user("and now?", 2);

test("a result that the history limit leaves out is not called forgotten, although it is sent under another id", () => {
  const stored = result("85 pieces", "toolu_01");
  const sent = result("85 pieces", "toolu01");
  expect(writtenLines("limited", [ASKED, stored, NEXT], [sent], [NEXT])).toEqual([]);
});

test("a result that no limit leaves out is called forgotten", () => {
  expect(writtenLines("lost", [NEXT], [result("85 pieces", "toolu01")], [NEXT])).toEqual([
    expect.stringContaining("toolResult 1 (not_stored)"),
  ]);
});
