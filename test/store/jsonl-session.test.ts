import { appendFileSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { JsonlSession } from "../../src/integrity/sessions/jsonl.ts";
import type { Session } from "../../src/integrity/index.ts";
import { specificationCases } from "../integrity/cases.ts";
import { WRITERS } from "../integrity/messages.ts";
import { jsonlKind } from "./jsonl-kind.ts";

specificationCases(jsonlKind("openclaw"));
specificationCases(jsonlKind("anthropic"));

describe("a session in a JSONL file", () => {
  const kind = jsonlKind("openclaw");
  const { user, says, calls, results } = WRITERS.openclaw;
  afterAll(() => kind.close?.());

  const lastRow = (session: Session): Record<string, unknown> =>
    JSON.parse(
      readFileSync((session as JsonlSession).path, "utf8")
        .trimEnd()
        .split("\n")
        .at(-1)!,
    ) as Record<string, unknown>;

  it("is told of the tools that ran behind the place it is taken back to, and of nothing when none did", async () => {
    const session = await kind.open([
      user("Hello"),
      says("Hi"),
      user("Look"),
      calls("toolu_1"),
      ...results(["toolu_1", "seen"]),
      says("Done"),
    ]);
    await session.moveLeaf({ leafEntryId: session.entryIdAt(1)!, messageIndex: 2 });
    expect(session.messages).toHaveLength(2);
    expect(lastRow(session)).toMatchObject({
      type: "custom_message",
      id: session.leafEntryId,
      content: expect.stringContaining("effects remain: exec 1."),
    });
    await session.append([user("Otherwise")]);
    await session.moveLeaf({ leafEntryId: session.entryIdAt(1)!, messageIndex: 2 });
    expect(lastRow(session)).toMatchObject({ type: "custom", id: session.leafEntryId });
  });

  it("keeps the entries of a repaired history up to the first change, and the objects of its messages", async () => {
    const session = await kind.open([user("Hello"), says("Hi"), user("Look"), says("Done")]);
    const { messages } = session;
    const ids = messages.map((_, at) => session.entryIdAt(at));
    await session.replaceMessages([...messages.slice(0, 2), user("Look again"), messages[3]]);
    expect([0, 1, 2, 3].map((at) => session.entryIdAt(at) === ids[at])).toEqual([true, true, false, false]);
    expect(session.messages[1]).toBe(messages[1]);
    expect(await kind.everything(session)).toHaveLength(6);
  });

  it("keeps the summary of a compaction when what the compaction kept is repaired", async () => {
    const session = await kind.open([user("Hello"), says("Hi"), user("Look"), says("Done"), user("More")]);
    const compaction = {
      type: "compaction",
      id: "compacted",
      parentId: session.leafEntryId,
      timestamp: "2026-11-22T00:00:00.000Z",
      summary: "They said hello.",
      firstKeptEntryId: session.entryIdAt(2),
      tokensBefore: 9,
    };
    appendFileSync((session as JsonlSession).path, `${JSON.stringify(compaction)}\n`);
    await session.reload();
    await session.append([says("Behind")]);
    const [, done, more, behind] = session.messages;
    await session.replaceMessages([user("Look again"), done, more, behind]);
    for (const one of [session, await kind.reopen(session)]) {
      expect(one.messages).toEqual([user("Look again"), done, more, behind]);
      expect(lastRow(one)).toMatchObject({
        type: "compaction",
        summary: "They said hello.",
        firstKeptEntryId: one.entryIdAt(0),
      });
    }
    // What lies behind the compaction is changed as ever.
    await session.append([says("Last")]);
    await session.replaceMessages([...session.messages.slice(0, 4), says("Otherwise")]);
    expect(session.messages).toEqual([user("Look again"), done, more, behind, says("Otherwise")]);
    expect(await kind.everything(session)).toHaveLength(12);
  });

  it("refuses a place that is not there, and a change while another process has OpenClaw's lock", async () => {
    const session = await kind.open([user("Hello")]);
    await expect(session.moveLeaf({ leafEntryId: "gone", messageIndex: 0 })).rejects.toMatchObject({
      code: "session-missing",
    });
    const { withLock } = await import("../../src/store/openclaw/openclaw-lock.ts");
    const refused = withLock((session as JsonlSession).path, 0, () => session.append([says("Hi")]));
    await expect(refused).rejects.toMatchObject({ code: "session-busy" });
    expect((await kind.reopen(session)).messages).toHaveLength(1);
  });
});
