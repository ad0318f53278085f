/** A second process that recovers while the first one's tool still runs: the real result is not lost. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  JsonlSession,
  openJournal,
  type AssistantMessage,
  type Journal,
  type ToolCycleOptions,
  type ToolCycleResult,
} from "../../src/integrity/index.ts";
import { historyLines } from "./lines.ts";
import { WRITERS } from "./messages.ts";

let folder: string;
let journals: Journal[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "two-processes-"));
  journals = [];
});
afterEach(() => {
  for (const journal of journals) journal.close();
  rmSync(folder, { recursive: true });
});

/** Opens journal and session as another process would. */
function opened(format: "anthropic" | "openclaw", create = false) {
  const file = join(folder, "s.jsonl");
  const journal = openJournal(join(folder, "journal.sqlite"));
  journals.push(journal);
  const session = create ? JsonlSession.create(file, { format }) : new JsonlSession(file, { format });
  return { session, integrity: createSessionIntegrity({ journal }) };
}

describe.each(["anthropic", "openclaw"] as const)("a call that another process recovers, in %s's format", (format) => {
  const { user, says, calls } = WRITERS[format];

  /** Runs `meanwhile` in a second process while the tools of the first one are at work. */
  async function beside(
    meanwhile: (second: ReturnType<typeof opened>) => Promise<unknown>,
    tool: (id: string) => unknown,
    options?: ToolCycleOptions,
  ): Promise<{ result: ToolCycleResult; lines: string[] }> {
    const first = opened(format, true);
    await first.session.append([user("first")]);
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = first.integrity.executeToolCycle(
      first.session,
      calls("toolu_a", "toolu_b") as unknown as AssistantMessage,
      {
        execute: async (_name, input) => {
          await promise;
          return tool((input as { for: string }).for);
        },
      },
      options,
    );
    await new Promise((begun) => {
      setTimeout(begun, 20);
    });
    const second = opened(format);
    await meanwhile(second);
    resolve();
    const result = await running;
    const { session, integrity } = opened(format);
    await integrity.recover(session);
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
    return { result, lines: historyLines(session.messages) };
  }

  it("has its own result in the end, in its place, and the caller is told", async () => {
    const { result, lines } = await beside(
      async ({ session, integrity }) => {
        await integrity.recover(session);
        expect(JSON.stringify(session.messages)).toContain("may have run");
        await session.append([says("I do not know."), user("next")]);
      },
      (id) => `out ${id}`,
    );
    expect(result).toMatchObject({
      success: true,
      warnings: [expect.stringContaining("Another process has recovered this call") as string],
    });
    expect(lines).toEqual([
      "user:first",
      "call:toolu_a,toolu_b",
      "result:toolu_a=out toolu_a",
      "result:toolu_b=out toolu_b",
      "says:I do not know.",
      "user:next",
    ]);
  });

  it("of which every tool throws is told as such: it is in the history, so it is not rolled back", async () => {
    const { result, lines } = await beside(
      ({ session, integrity }) => integrity.recover(session),
      () => {
        throw new Error("no such file");
      },
    );
    expect(result).toMatchObject({ success: false, rolledBack: false, error: "no such file" });
    expect(lines.slice(2)).toEqual(["result:toolu_a=failed", "result:toolu_b=failed"]);
  });

  it("whose place is gone is not said to be stored: its result is in the return value", async () => {
    const { result } = await beside(
      async ({ session, integrity }) => {
        await integrity.recover(session);
        const replaced = JSON.stringify(session.messages).replaceAll(/\[This[^\]]*\]|\[The[^\]]*\]/g, "by hand");
        await session.replaceMessages(JSON.parse(replaced) as unknown[]);
      },
      (id) => `out ${id}`,
    );
    expect(result).toMatchObject({
      success: false,
      rolledBack: false,
      error: expect.stringMatching(/another process.*toolu_a.*only in this return value/) as string,
    });
    expect(result.results?.map(({ content }) => content)).toEqual(["out toolu_a", "out toolu_b"]);
  });

  it("is stored by the next recovery, in its place, where the other process has only written a message", async () => {
    const { result, lines } = await beside(
      ({ session }) => session.append([user("next")]),
      (id) => `out ${id}`,
    );
    expect(result).toMatchObject({ success: false, error: expect.stringContaining("kept in the journal") as string });
    expect(lines.slice(2)).toEqual(["result:toolu_a=out toolu_a", "result:toolu_b=out toolu_b", "user:next"]);
  });
});
