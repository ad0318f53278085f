import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { openProjections, packageFolder, RELEASE, type RealProjections } from "./real.ts";

describe(`an append out of order in OpenClaw ${RELEASE}, patched`, () => {
  let state: string;
  let real: RealProjections;
  beforeAll(async () => {
    state = newFolder();
    real = await openProjections(packageFolder("patched"), state);
  });
  afterEach(() => void delete process.env["OPENCLAW_INTEGRITY"]);
  afterAll(() => {
    real.close();
  });

  async function stored(messages: number): Promise<string> {
    const id = randomUUID();
    const transcript = toTranscript(
      Array.from({ length: messages }, (_, at) => (at % 2 === 0 ? user(`question ${at}`) : says(`answer ${at}`))),
      { seed: id },
    );
    await real.store({ id, key: `agent:main:${id}`, api: "anthropic-messages", transcript });
    return id;
  }
  /** Appends behind the entry that lies so many before the end; how many rows of all tables that changed. */
  function appendBack(id: string, back: number, row: object = {}, then?: () => void): number {
    const parentId = real.openclaw
      .open(real.toTarget(id))
      .getBranch()
      .at(-1 - back)!.id;
    return real.runOpenClawAgentWriteTransaction(
      (database) => {
        const changes = (): number =>
          Number(database.db.prepare("SELECT total_changes() AS changes").get()!["changes"]);
        const before = changes();
        real.appendTranscriptEventInTransaction(database, real.toTarget(id), {
          type: "custom_message",
          customType: "note",
          content: "back",
          display: true,
          id: randomUUID(),
          parentId,
          timestamp: new Date().toISOString(),
          ...row,
        });
        then?.();
        return changes() - before;
      },
      { agentId: "main" },
    );
  }

  it("in a transaction that fails later leaves nothing behind, in the transcript and in the index", async () => {
    const id = await stored(6);
    const before = real.stored(id);
    expect(() =>
      appendBack(id, 3, {}, () => {
        throw new Error("too late");
      }),
    ).toThrow("too late");
    expect(real.stored(id)).toEqual(before);
    expect(real.rebuilt(id)).toEqual(before);
    appendBack(id, 3);
    expect(real.stored(id).state).toMatchObject({ needs_rebuild: 0, active_event_count: 4 });
  });

  it("is left to OpenClaw with OPENCLAW_INTEGRITY=off", async () => {
    const id = await stored(6);
    process.env["OPENCLAW_INTEGRITY"] = "off";
    appendBack(id, 3);
    expect(real.stored(id).state).toMatchObject({ needs_rebuild: 1 });
  });

  it("in a session of 10,000 entries, more than OpenClaw would rebuild at once, changes the rows that leave the path and no others", async () => {
    const id = await stored(10_000);
    // Of each message that leaves: its row of the path, its name and its text for the search.
    expect(appendBack(id, 20)).toBeLessThan(20 * 8 + 20);
    expect(real.stored(id)).toEqual(real.rebuilt(id));
    expect(real.stored(id).state).toMatchObject({ needs_rebuild: 0 });
    // A rewrite of OpenClaw's own: rows aside, and a leaf control that leads to the last of them.
    expect(appendBack(id, 10, { id: `aside-${id}`, appendMode: "side" })).toBeLessThan(20);
    expect(
      appendBack(id, 0, { type: "leaf", id: `leaf-${id}`, targetId: `aside-${id}`, appendParentId: `aside-${id}` }),
    ).toBeLessThan(10 * 8 + 20);
    expect(real.stored(id)).toEqual(real.rebuilt(id));
    expect(real.stored(id).state).toMatchObject({ needs_rebuild: 0, active_event_count: 10_000 - 20 + 1 - 10 + 1 });
  });
});
