/** A database that OpenClaw refuses as a whole: nothing of it is answered, however valid its sessions are. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { newFolder } from "../../harness/temporary.ts";
import { makeCheckup } from "../../src/doctor/index.ts";
import { openCatalog, refusedDatabases } from "../../src/store/index.ts";
import { runHere } from "../cli/in-process.ts";

const DIST = join(releasesFolder(), "2026.9.6", "stock", "node_modules", "openclaw", "dist");
const ROWS = JSON.stringify(new URL("../../harness/openclaw/adapters/rows.ts", import.meta.url).href);
const SAMPLES = JSON.stringify(new URL("../../harness/openclaw/samples.ts", import.meta.url).href);
const TRANSCRIPT = JSON.stringify(new URL("../../harness/openclaw/transcript.ts", import.meta.url).href);

/** OpenClaw stores a session, in a process of its own; what it says when it refuses. */
function store(state: string): string {
  const id = randomUUID();
  const script = `
    const { openRows } = await import(${ROWS});
    const { says, user } = await import(${SAMPLES});
    const { toTranscript } = await import(${TRANSCRIPT});
    const rows = await openRows(${JSON.stringify(DIST)});
    const transcript = toTranscript([user("go"), says("yes")], { seed: "${id}" });
    await rows.store({ key: "agent:main:${id}", id: "${id}", transcript, api: "anthropic-messages" })
      .catch((error) => console.log("refused: " + error.message));
    process.exit();`;
  const env = { ...process.env, OPENCLAW_STATE_DIR: state };
  return spawnSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], { env, encoding: "utf8" })
    .stdout;
}

it("a broken reference in a database is told before OpenClaw refuses all sessions because of it", async () => {
  const state = newFolder();
  expect(store(state)).not.toContain("refused");
  expect(await refusedDatabases(state)).toEqual([]);
  const file = join(state, "agents", "main", "agent", "openclaw-agent.sqlite");
  const database = new DatabaseSync(file);
  database.exec("PRAGMA foreign_keys = OFF; UPDATE transcript_rewrite_watermarks SET session_id = 'gone'");
  database.close();
  // What a kill leaves: without it OpenClaw trusts the database until the next one.
  const verified = new DatabaseSync(join(state, "state", "openclaw-quarantine.sqlite"));
  verified.exec("DELETE FROM agent_integrity_verifications");
  verified.close();
  expect(store(state)).toMatch(/refused: .*foreign_key_check failed/);

  const words = "a row of transcript_rewrite_watermarks refers to one of session_windows that is not there";
  const found = [expect.stringMatching(new RegExp(`${file}.*${words}`))];
  expect(await refusedDatabases(state, "main")).toEqual(found);
  const catalog = openCatalog(state);
  expect((await makeCheckup(catalog, { stateDirectory: state })).problems).toEqual(found);
  catalog.close();
  for (const command of ["scan", "doctor"]) {
    const { status, stderr } = await runHere(state, ["sessions", command]);
    expect([status, stderr]).toEqual([3, expect.stringContaining(words)]);
  }
});
