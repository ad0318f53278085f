import { join } from "node:path";
import { afterAll, describe, expect, it, test } from "vitest";
import { specificationCases } from "../integrity/cases.ts";
import { WRITERS } from "../integrity/messages.ts";
import { installedReleases } from "../../harness/openclaw/releases.ts";
import { openclawKind } from "./openclaw-kind.ts";

const installed = installedReleases().find(({ release }) => release === "2026.9.6");

test("OpenClaw 2026.9.6 is installed", () => {
  expect(installed).toBeDefined();
});

const root = join(installed?.root ?? "", "node_modules", "openclaw");
if (installed) specificationCases(openclawKind(root));

describe.skipIf(!installed)("a session of OpenClaw 2026.9.6", () => {
  const kind = openclawKind(root);
  const { user, says, calls, results } = WRITERS.openclaw;
  afterAll(() => kind.close?.());

  it("an append that fails half way leaves nothing, behind the leaf and on a branch", async () => {
    const session = await kind.open([user("Hello"), says("Hi")]);
    const before = session.messages;
    const unstorable = { ...says("never"), content: () => "no message" };
    await expect(session.append([user("More"), unstorable])).rejects.toMatchObject({ code: "openclaw-failed" });
    await expect(session.replaceMessages([before[0], user("Otherwise"), unstorable])).rejects.toMatchObject({
      code: "openclaw-failed",
    });
    expect(session.messages).toEqual(before);
    const reopened = await kind.reopen(session);
    expect(reopened.messages).toEqual(before);
    expect(await kind.everything(reopened)).toHaveLength(2);
    await reopened.append([user("More")]);
    expect((await kind.reopen(session)).messages).toMatchObject([...before, { role: "user" }]);
  });

  it("keeps the summary of a compaction when what the compaction kept is repaired", async () => {
    const session = await kind.open([user("Hello"), says("Hi"), user("Look"), says("Done")]);
    await kind.compact(session, session.entryIdAt(2)!);
    await session.reload();
    const [look, done] = session.messages;
    expect(session.messages).toHaveLength(2);
    await session.replaceMessages([{ ...(look as object), content: "Look again" }, done]);
    for (const one of [session, await kind.reopen(session)]) {
      expect(one.messages).toMatchObject([{ content: "Look again" }, done as object]);
      expect(await kind.readRow(one, one.leafEntryId!)).toMatchObject({
        type: "compaction",
        summary: "They said hello.",
        firstKeptEntryId: one.entryIdAt(0),
      });
    }
  });

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
    const note = await kind.readRow(session, session.leafEntryId!);
    expect(note).toMatchObject({ type: "custom_message", content: expect.stringContaining("effects remain: exec 1.") });
    await session.append([user("Otherwise")]);
    await session.moveLeaf({ leafEntryId: session.entryIdAt(1)!, messageIndex: 2 });
    expect(await kind.readRow(session, session.leafEntryId!)).toMatchObject({ type: "custom" });
  });
});
