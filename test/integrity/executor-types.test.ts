/** What an executor may be, as the compiler sees it, and what it gets beside name and input. */
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  createSessionIntegrity,
  MemorySession,
  openJournal,
  type GuardOptions,
  type Journal,
  type SessionIntegrity,
  type ToolCall,
  type ToolCycleOptions,
  type ToolExecutor,
  type WireApi,
} from "../../src/integrity/index.ts";

let journal: Journal;
let integrity: SessionIntegrity;
beforeEach(() => {
  journal = openJournal(":memory:");
  integrity = createSessionIntegrity({ journal });
});
afterEach(() => journal.close());

// Each of these executors was an error of the compiler.
const EXECUTORS: ToolExecutor[] = [
  { execute: async () => "a text" },
  { execute: () => [{ type: "text", text: "a block" }] },
  { execute: async () => {} },
  { execute: () => ({ content: [{ type: "text", text: "of MCP" }], isError: true }) },
  { execute: async (_name, _input, { id, signal }) => ({ output: id, isError: signal.aborted }) },
];
const maybe = undefined as AbortSignal | undefined;
const OPTIONS: ToolCycleOptions = { signal: maybe };
const API: WireApi | undefined = "openai-completions";
const GUARD: GuardOptions = { api: API, model: undefined };
// @ts-expect-error: no such API
const WRONG: GuardOptions = { api: "anthropic" };

const use = { type: "tool_use", id: "toolu_1", name: "exec", input: {} } as const;

it.each(EXECUTORS)("an executor of any documented kind is taken: %o", async (executor) => {
  const session = new MemorySession({ id: "s" });
  expect(await integrity.executeToolCycle(session, use, executor, OPTIONS)).toMatchObject({ success: true });
  expect(await integrity.guardCall(session, async () => 1, GUARD)).toMatchObject({ outcome: "answered" });
  await expect(integrity.guardCall(session, async () => 1, WRONG)).rejects.toMatchObject({
    code: "bad-api",
    message: expect.stringContaining("openai-completions, openai-responses") as string,
  });
});

it("a tool gets the id under which its call is stored, and the signal that ends the wait", async () => {
  const session = new MemorySession({ id: "s" });
  const seen: ToolCall[] = [];
  const executor: ToolExecutor = { execute: (_name, _input, call) => void seen.push(call) };
  const { result } = await integrity.executeToolCycle(session, use, executor);
  await integrity.executeToolCycle(session, { ...use, input: { other: 1 } }, executor);
  expect(seen.map(({ id }) => id)).toEqual(["toolu_1", expect.stringMatching(/^[a-z0-9]{9}$/)]);
  expect(seen[0]!.id).toBe(result!.tool_use_id);
  expect(JSON.stringify(session.messages.at(-1))).toContain(seen[1]!.id);

  const controller = new AbortController();
  const aborted = integrity.executeToolCycle(
    session,
    { ...use, id: "toolu_2" },
    {
      execute: (_name, _input, { signal }) =>
        new Promise((_done, failed) => {
          signal.addEventListener("abort", () => failed(new Error("stopped in time")));
          controller.abort();
        }),
    },
    { signal: controller.signal },
  );
  expect(await aborted).toMatchObject({ success: false });
});
