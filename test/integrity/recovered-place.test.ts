/** A call that a crash interrupted comes where it was made, not behind what was appended before the recovery. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  openJournal,
  type AssistantMessage,
  type Journal,
  type Session,
} from "../../src/integrity/index.ts";
import { jsonlKind } from "../store/jsonl-kind.ts";
import { historyLines } from "./lines.ts";
import { memoryKind } from "./memory-kind.ts";
import { WRITERS } from "./messages.ts";

let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "recovered-place-"));
  journal = openJournal(join(folder, "journal.sqlite"));
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

/** Begins a cycle in a process that ends before its tool returns. */
async function cutOff(session: Session, ...ids: string[]): Promise<void> {
  const call = WRITERS[session.format].calls(...ids) as unknown as AssistantMessage;
  void createSessionIntegrity({ journal }).executeToolCycle(session, call, { execute: () => new Promise(() => {}) });
  await new Promise((begun) => {
    setTimeout(begun, 30);
  });
}

const KINDS = [memoryKind("anthropic"), memoryKind("openclaw"), jsonlKind("anthropic"), jsonlKind("openclaw")];

describe.each(KINDS)("a cycle that was cut off, in $name", (kind) => {
  const { user, says } = WRITERS[kind.format];
  afterAll(() => kind.close?.());

  it("comes before a message that was appended since, in what is stored and in what is sent", async () => {
    const session = await kind.open([user("first")]);
    await cutOff(session, "toolu_a", "toolu_b");
    const next = await kind.reopen(session);
    await next.append([user("next")]);
    const integrity = createSessionIntegrity({ journal });
    let sent: readonly unknown[] = [];
    await integrity.guardCall(next, async (messages) => {
      sent = messages;
    });
    const lines = [
      "user:first",
      "call:toolu_a,toolu_b",
      expect.stringMatching(/^result:toolu_a=/),
      expect.stringMatching(/^result:toolu_b=/),
      "user:next",
    ];
    expect(historyLines((await kind.reopen(next)).messages)).toEqual(lines);
    expect(historyLines(sent)).toEqual(lines);
    expect(integrity.validate(next, { allowOpenEnd: false })).toEqual({ valid: true });
    expect(historyLines(await kind.everything(next))).toEqual(expect.arrayContaining(["user:first", "user:next"]));
    expect(await integrity.recover(next)).toEqual({ recovered: [] });
  });

  it("two of them, and an answer between, come each to their place", async () => {
    const session = await kind.open([user("first")]);
    await cutOff(session, "toolu_a");
    await session.append([user("next"), says("answer")]);
    await cutOff(session, "toolu_b");
    await session.append([user("last")]);
    const integrity = createSessionIntegrity({ journal });
    const reopened = await kind.reopen(session);
    await integrity.recover(reopened);
    expect(historyLines(reopened.messages)).toEqual([
      "user:first",
      "call:toolu_a",
      expect.stringMatching(/^result:toolu_a=/),
      "user:next",
      "says:answer",
      "call:toolu_b",
      expect.stringMatching(/^result:toolu_b=/),
      "user:last",
    ]);
    expect(integrity.validate(reopened, { allowOpenEnd: false })).toEqual({ valid: true });
  });

  it("comes to the end of a history that no longer has the place", async () => {
    const session = await kind.open([user("first")]);
    await cutOff(session, "toolu_a");
    await session.clear([user("anew")]);
    await createSessionIntegrity({ journal }).recover(session);
    expect(historyLines(session.messages).slice(0, 2)).toEqual(["user:anew", "call:toolu_a"]);
  });
});
