import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { IntegrityError, openJournal } from "../../../src/integrity/index.ts";
import type { SessionKind } from "../kind.ts";
import { WRITERS } from "../messages.ts";
import { text, type Scene } from "./scene.ts";

/** Checkpoint and rollback: cases 6 to 9. */
export function checkpointCases(kind: SessionKind, scene: Scene): void {
  const { user, says } = WRITERS[kind.format];

  it("6. create checkpoint: the checkpoint exists, in the journal's file too", async () => {
    const session = await kind.open(scene.healthy());
    const integrity = scene.integrity();
    const checkpoint = await integrity.checkpoint(session, "manual");
    expect(checkpoint).toMatchObject({
      sessionId: session.id,
      operation: "manual",
      messageIndex: session.messages.length,
      leafEntryId: session.leafEntryId,
    });
    expect(checkpoint.snapshot).toBeUndefined();
    const other = openJournal(scene.journalFile, { readOnly: true });
    expect(other.checkpoints.get(checkpoint.id)).toEqual(checkpoint);
    other.close();
    expect(await integrity.checkpoints(session).getLatest(session.id)).toEqual(checkpoint);
    expect((await scene.integrity({ snapshotMessages: true }).checkpoint(session, "manual")).snapshot).toEqual(
      session.messages,
    );
  });

  it("7. commit checkpoint: it is marked committed, and the retention holds after every commit", async () => {
    const session = await kind.open(scene.healthy());
    const integrity = scene.integrity({ checkpointRetention: 2 });
    const store = integrity.checkpoints(session);
    for (let made = 0; made < 5; made++) {
      const { id } = await integrity.checkpoint(session, "api_call");
      expect((await store.get(id))?.committedAt).toBeUndefined();
      await store.commit(id);
      expect((await store.get(id))?.committedAt).toBeGreaterThan(0);
      expect((await store.list(session.id)).length).toBe(Math.min(made + 1, 2));
    }
    expect(scene.events()).toContain("l0:checkpoint:pruned");
  });

  it("8. rollback: messages are truncated to the checkpoint, after a restart too, and nothing stored is deleted", async () => {
    const session = await kind.open(scene.healthy());
    const before = [...session.messages];
    const integrity = scene.integrity();
    const { id } = await integrity.checkpoint(session, "manual");
    await session.append([user("More"), says("Even more")]);
    const reopened = await kind.reopen(session);
    expect(await integrity.rollback(reopened, id)).toEqual({
      success: true,
      messagesRemoved: 2,
      newMessageCount: before.length,
    });
    expect(reopened.messages).toEqual(before);
    const again = await kind.reopen(reopened);
    expect(again.messages).toEqual(before);
    expect(text(await kind.everything(again))).toContain("Even more");
    // The conversation goes on from there.
    await again.append([user("Otherwise")]);
    expect((await kind.reopen(again)).messages).toEqual([...before, expect.objectContaining({ role: "user" })]);
  });

  it("9. rollback with a corrupted checkpoint: refused with both hashes, nothing is changed", async () => {
    const session = await kind.open(scene.healthy());
    const integrity = scene.integrity();
    const { id, contentHash } = await integrity.checkpoint(session, "manual");
    await session.append([user("More")]);
    const before = [...session.messages];
    const wrong = "0".repeat(64);
    const raw = new DatabaseSync(scene.journalFile);
    raw.prepare("UPDATE checkpoints SET content_hash = ? WHERE id = ?").run(wrong, id);
    raw.close();
    const error = await integrity.rollback(session, id).then(
      () => undefined,
      (thrown: unknown) => thrown as IntegrityError,
    );
    expect(error).toBeInstanceOf(IntegrityError);
    expect(error?.code).toBe("checkpoint-mismatch");
    expect(error?.message).toContain(wrong);
    expect(error?.message).toContain(contentHash);
    expect(session.messages).toEqual(before);
    await expect(integrity.rollback(session, "no-such-checkpoint")).rejects.toMatchObject({
      code: "checkpoint-missing",
    });
    const other = await kind.open(scene.healthy());
    const foreign = await integrity.checkpoint(other, "manual");
    if (other.id !== session.id)
      await expect(integrity.rollback(session, foreign.id)).rejects.toMatchObject({ code: "checkpoint-foreign" });
  });

  it.skipIf(!kind.tamper)(
    "9. rollback with modified messages: refused; the checkpoint's own copy can be restored",
    async () => {
      const session = await kind.open(scene.healthy());
      const before = structuredClone(session.messages);
      const integrity = scene.integrity({ snapshotMessages: true });
      const { id } = await integrity.checkpoint(session, "manual");
      await session.append([user("More")]);
      await kind.tamper!(session, 1);
      const reopened = await kind.reopen(session);
      await expect(integrity.rollback(reopened, id)).rejects.toMatchObject({ code: "checkpoint-mismatch" });
      await integrity.rollback(reopened, id, { useSnapshot: true });
      expect(reopened.messages).toEqual(before);
    },
  );
}
