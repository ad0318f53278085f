import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { cli, userEnvironment } from "../cli/fixture.ts";
import { toTranscript, type RunResult } from "../../harness/openclaw/index.ts";
import { HEALTHY } from "../../harness/openclaw/samples.ts";
import { startLive, type Live } from "../../harness/openclaw/live.ts";
import { databaseFile, indexState, packageFolder, RELEASE } from "./real.ts";

/** The ways in which the index of a session may be behind it. */
const PRESETS = [
  ["marked to be rebuilt", "UPDATE session_transcript_index_state SET needs_rebuild = 1 WHERE session_id = ?"],
  [
    "not reaching to the last row",
    "UPDATE session_transcript_index_state SET indexed_seq = indexed_seq - 1 WHERE session_id = ?",
  ],
  ["without any state", "DELETE FROM session_transcript_index_state WHERE session_id = ?"],
] as const;

async function storedWith(live: Live, sql: string): Promise<RunResult> {
  const run = await live.openclaw.run({
    transcript: toTranscript(HEALTHY),
    api: "anthropic-messages",
    messages: ["first question"],
  });
  expect(run.turns).toMatchObject([{ answered: true }]);
  const database = new DatabaseSync(databaseFile(live.openclaw.stateDir), { timeout: 5000 });
  database.prepare(sql).run(run.sessionId);
  database.close();
  return run;
}

describe(`a session of OpenClaw ${RELEASE} with an outdated index`, () => {
  let patched: Live;
  let stock: Live;
  beforeAll(async () => void ([patched, stock] = await Promise.all([startLive(RELEASE), startLive(RELEASE, "stock")])));
  afterAll(async () => {
    await patched?.close();
    await stock?.close();
  });
  const command = (...args: string[]) =>
    cli(["sessions", ...args, "--json"], newFolder(), {
      ...userEnvironment(newFolder()),
      OPENCLAW_STATE_DIR: stock.openclaw.stateDir,
    });
  const found = (data: Record<string, unknown>, sessionId: string) =>
    (data["sessions"] as Record<string, unknown>[]).find((session) => session["sessionId"] === sessionId);

  it.each(PRESETS)("%s: the patched one answers the next turn", async (_, sql) => {
    const run = await storedWith(patched, sql);
    expect(await run.send("second question")).toMatchObject({ answered: true });
    expect(patched.provider.requests.at(-1)?.raw).toContain("first question");
    const state = indexState(patched.openclaw.stateDir, run.sessionId)!;
    expect(state).toMatchObject({ needs_rebuild: 0, indexed_seq: state["last_seq"] });
  });

  it.each(PRESETS)("%s: the scan finds it, and after a repair the unpatched one answers", async (_, sql) => {
    const run = await storedWith(stock, sql);
    const failed = await run.send("second question");
    expect(failed).toMatchObject({ answered: false });
    expect(`${failed.error} ${failed.text}`).toContain("projection is rebuilding");

    const scan = command("scan");
    expect(scan.status).toBe(3);
    expect(found(scan.data, run.sessionId)).toMatchObject({
      state: "faulty",
      index: "outdated_index",
      violations: [],
      entries: [],
    });
    expect(command("show", run.sessionId)).toMatchObject({ status: 3, data: { index: "outdated_index" } });
    expect(found(command("doctor").data, run.sessionId)).toMatchObject({ state: "faulty", remedy: { by: "repair" } });
    expect(command("repair", run.sessionId, "--dry-run", "--path", packageFolder("stock")).data).toMatchObject({
      sessions: [{ action: "would-repair" }],
    });
    expect(found(command("scan").data, run.sessionId)).toMatchObject({ state: "faulty" });

    expect(command("repair", run.sessionId, "--path", packageFolder("stock"))).toMatchObject({
      status: 0,
      data: { sessions: [{ action: "repaired" }] },
    });
    expect(found(command("scan").data, run.sessionId)).toMatchObject({ state: "sound" });
    expect(await run.send("third question")).toMatchObject({ answered: true });
  });
});
