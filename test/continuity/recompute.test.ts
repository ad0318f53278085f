import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { newFolder } from "../../harness/temporary.ts";
import { Continuity, openSqliteStore } from "../../src/continuity/index.ts";

const SCRIPT = join(import.meta.dirname, "../../examples/recompute.py");
const noPython = spawnSync("python3", ["--version"]).status === 0 ? undefined : "no python3 is installed";

/** A ledger with every kind of event, and texts that canonical forms differ on. */
async function written(file: string): Promise<void> {
  const continuity = new Continuity({ store: openSqliteStore({ file }), snapshots: { everyEvents: 7 } });
  const project = await continuity.project("p");
  const texts = ['"quoted" \\ / \b\f\n\r\t\u0001\u001f\u007f', "é ü ß \u2028 😀 \ufb33", "a~b/c", "<&>"];
  const { goal_id } = await project.createGoal({ text: texts[0]!, priority: -3 });
  for (const [at, title] of texts.entries()) {
    const { task_id } = await project.addTask({ goal_id, title, acceptance_criteria: texts.slice(0, at) });
    await project.startTask({ task_id });
    for (const next_step of texts.slice(0, at + 1))
      await project.updateCheckpoint({
        task_id,
        where_we_left_off: title,
        next_step,
        needed_context_refs: texts.slice(at),
      });
    await project.blockTask({ task_id, blocker: title });
    await project.startTask({ task_id });
    if (at % 2 === 0) await project.completeTask({ task_id, evidence: title });
  }
  const lease = await project.acquireLease({ owner_id: "worker 😀" });
  // Keys outside of the basic plane: RFC 8785 sorts them by UTF-16, which puts them before U+FB33.
  for (const step_id of ["\ufb33", "😀", "a/b~c"]) {
    await project.steps.begin(lease, { step_id, step_type: "pure", input: { "\ufb33": 1.5, "😀": [texts] } });
    await project.steps.begin(lease, { step_id: `${step_id}2`, step_type: "idempotent" });
  }
  await project.steps.complete(lease, { step_id: "😀", attempt_id: 1 }, 1e21);
  await project.steps.fail(lease, { step_id: "\ufb332", attempt_id: 1 }, texts[1]!);
  await lease.release();
  await continuity.close();
}

it.skipIf(noPython)(
  `another program recomputes every checksum by the description in the docs${noPython ? `: ${noPython}` : ""}`,
  async () => {
    const folder = newFolder();
    const [file, exported, snapshots] = ["l.sqlite", "export.jsonl", "snapshots.json"].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    await written(file);
    const run = spawnSync(process.execPath, [MAIN, "continuity", "export", "--file", file, "--out", exported], {
      encoding: "utf8",
    });
    expect(run.status, run.stderr).toBe(0);
    const database = new DatabaseSync(file);
    const rows = database.prepare("SELECT last_event_seq, state_checksum, state_inline FROM snapshots").all();
    database.close();
    const given = rows.map(({ state_inline, ...row }) => ({
      ...row,
      state: JSON.parse(String(state_inline)) as unknown,
    }));
    expect(given.length).toBe(3);
    writeFileSync(snapshots, JSON.stringify(given));
    const recompute = (): { status: number | null; stdout: string; stderr: string } =>
      spawnSync("python3", [SCRIPT, "p", exported, snapshots], { encoding: "utf8" });
    const events = readFileSync(exported, "utf8").trimEnd().split("\n");
    expect(recompute()).toMatchObject({ stderr: "", stdout: `${events.length} events, 3 snapshots\n`, status: 0 });
    // It would notice.
    writeFileSync(exported, events.with(3, events[3]!.replace('"timestamp":"2', '"timestamp":"3')).join("\n"));
    expect(recompute()).toMatchObject({ status: 1, stderr: expect.stringContaining("checksum of event 4") as string });
  },
);
