import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import {
  createSessionIntegrity,
  MemorySession,
  MemoryStore,
  openJournal,
  type Journal,
} from "../../src/integrity/index.ts";
import { WRITERS } from "./messages.ts";

const { user, says } = WRITERS.anthropic;
let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = newFolder();
  journal = openJournal(join(folder, "journal.sqlite"));
});
afterEach(() => {
  journal.close();
});

describe("the latest checkpoint", () => {
  it("is none that lies on a path that was left, even when as many messages stand there again", async () => {
    const session = new MemorySession({ id: "s", messages: [user("Hello")] });
    const integrity = createSessionIntegrity({ journal });
    const store = integrity.checkpoints(session);
    const first = await integrity.checkpoint(session, "manual");
    const second = await integrity.checkpoint(session, "manual");
    await session.append([says("One way")]);
    await integrity.checkpoint(session, "manual");
    await integrity.rollback(session, second.id);
    await session.append([says("Another way"), user("And?")]);
    expect((await store.getLatest("s"))?.id).toBe(first.id);
  });
});

describe("a rollback from the checkpoint's own copy", () => {
  it("is refused with both hashes when the copy was modified, and where there is none", async () => {
    const session = new MemorySession({ id: "s", messages: [user("Hello")] });
    const integrity = createSessionIntegrity({ journal, config: { snapshotMessages: true } });
    const { id, contentHash } = await integrity.checkpoint(session, "manual");
    const raw = new DatabaseSync(join(folder, "journal.sqlite"));
    expect(
      raw.prepare("UPDATE snapshot_messages SET message = ?").run('{"role":"user","content":"Something else"}').changes,
    ).toBe(1);
    raw.close();
    const before = session.messages;
    await expect(integrity.rollback(session, id, { useSnapshot: true })).rejects.toThrow(
      new RegExp(`${contentHash}.*[0-9a-f]{64}`),
    );
    const bare = await createSessionIntegrity({ journal }).checkpoint(session, "manual");
    await expect(integrity.rollback(session, bare.id, { useSnapshot: true })).rejects.toMatchObject({
      code: "checkpoint-missing",
    });
    expect(session.messages).toBe(before);
  });

  it("brings messages back that the store has lost; without it the rollback is refused", async () => {
    const store = new MemoryStore();
    const session = new MemorySession({ id: "s", store, messages: [user("Hello"), says("Hi")] });
    const integrity = createSessionIntegrity({ journal, config: { snapshotMessages: true } });
    const { id } = await integrity.checkpoint(session, "manual");
    store.save("s", { entries: new Map(), leafEntryId: null });
    await session.reload();
    await expect(integrity.rollback(session, id)).rejects.toThrow(/no longer stored.*useSnapshot/);
    expect(await integrity.rollback(session, id, { useSnapshot: true })).toMatchObject({ newMessageCount: 2 });
    expect(session.messages).toEqual([user("Hello"), says("Hi")]);
  });
});

describe("the hash of a history", () => {
  it("is continued, and begins again where the history was changed", async () => {
    const session = new MemorySession({ id: "s", messages: [user("Hello"), says("Hi")] });
    const integrity = createSessionIntegrity({ journal });
    await integrity.checkpoint(session, "manual");
    await session.append([user("More")]);
    const grown = await integrity.checkpoint(session, "manual");
    await session.replaceMessages([user("Hello"), says("Bye"), user("More")]);
    const changed = await integrity.checkpoint(session, "manual");
    expect(changed.messageIndex).toBe(grown.messageIndex);
    expect(changed.contentHash).not.toBe(grown.contentHash);
    // Hashed by an object that remembers nothing.
    const fresh = createSessionIntegrity({ journal });
    expect((await fresh.checkpoint(session, "manual")).contentHash).toBe(changed.contentHash);
    expect((await integrity.rollback(session, grown.id)).newMessageCount).toBe(3);
    expect(
      (await fresh.checkpoint(new MemorySession({ id: "t", messages: session.messages }), "manual")).contentHash,
    ).toBe(grown.contentHash);
  });
});
