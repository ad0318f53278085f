import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { makeCheckup, renderCheckupPage, reportLines, type Checkup } from "../../src/doctor/index.ts";
import { repairStored } from "../../src/health/index.ts";
import { contentHash, journalFile, openJournal } from "../../src/journal/index.ts";
import { findSummary, openCatalog, openSessionStore, rollBackTo, type Catalog } from "../../src/store/index.ts";
import { openRows } from "../../harness/openclaw/adapters/rows.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { departuresIn, entriesIn } from "./state.ts";

const ROOT = join(releasesFolder(), "2026.9.6", "stock", "node_modules", "openclaw");

describe("a checkup of sessions in the database of OpenClaw 2026.9.6", () => {
  let stateDirectory: string;
  let catalog: Catalog;
  const id = randomUUID();
  const key = `agent:main:${id}`;

  beforeAll(async () => {
    stateDirectory = newFolder();
    process.env["OPENCLAW_STATE_DIR"] = stateDirectory;
    const rows = await openRows(join(ROOT, "dist"));
    await rows.store({
      key,
      id,
      transcript: toTranscript(
        [user("go"), says("yes"), result("toolu_lost", "of nothing"), user("and?"), says("no")],
        { seed: id },
      ),
      api: "anthropic-messages",
    });
    catalog = openCatalog(stateDirectory);
  });
  afterAll(() => {
    catalog.close();
  });

  const check = (): Promise<Checkup> => makeCheckup(catalog, { stateDirectory, isDrawn: true });

  it("its fault, the repair and what it left, the archive, and a rollback", async () => {
    const before = await check();
    expect(before.sessions).toMatchObject([
      {
        session: { kind: "rows", sessionKey: key },
        remedy: { by: "repair", command: `npx openclaw-integrity sessions repair ${id}` },
      },
    ]);
    expect(reportLines(before, 100).join(" ").replaceAll(/\s+/g, " ")).toContain("add --global or --path FOLDER");
    expect(
      entriesIn(before.sessions[0]!.drawing!.line).flatMap(({ number, parts }) =>
        parts.flatMap(({ faults }) => faults.map((fault) => `${number} ${fault}`)),
      ),
    ).toEqual(["3 a tool result without a call"]);

    await repairStored(catalog, findSummary(catalog, id), { stateDirectory, root: () => ROOT });
    const repaired = await check();
    expect(repaired.sessions[0]!.examination!.violations).toEqual([]);
    expect(departuresIn(repaired.sessions[0]!.drawing!)).toMatchObject([{ cause: "repair", faults: 1 }]);
    expect(repaired.archives).toMatchObject([
      {
        kind: "rows",
        sessionId: id,
        messages: 5,
        faults: 1,
        command: `npx openclaw-integrity sessions restore ${repaired.archives[0]!.path}`,
      },
    ]);

    const messages = entriesIn(repaired.sessions[0]!.drawing!.line).filter(({ type }) => type === "message");
    const stored = catalog.read(findSummary(catalog, id)).rows as { id: string; message: unknown }[];
    const journal = openJournal(journalFile(stateDirectory));
    const first = stored.find((row) => row.id === messages[0]!.id)!;
    const second = stored.find((row) => row.id === messages[1]!.id)!;
    const checkpoint = journal.checkpoints.create({
      sessionId: id,
      operation: "api_call",
      messageIndex: 2,
      firstEntryId: first.id,
      leafEntryId: second.id,
      contentHash: contentHash([first.message, second.message]),
    });
    await rollBackTo(await openSessionStore({ root: ROOT, stateDirectory }), journal, checkpoint.id);
    journal.close();
    const back = await check();
    expect(
      departuresIn(back.sessions[0]!.drawing!)
        .map(({ cause }) => cause)
        .toSorted(),
    ).toEqual(["repair", "rollback"]);
    expect(entriesIn(back.sessions[0]!.drawing!.line).at(-1)).toMatchObject({
      isLeaf: true,
      note: { kind: "rollback", checkpointId: checkpoint.id },
    });
    const shown = [renderCheckupPage(back, { withWords: false }), ...reportLines(back, 100)].join("\n");
    expect(shown).toContain("left by a rollback to checkpoint");
    expect(shown).not.toContain("of nothing");
  });
});
