/** The removal of old history at the command line: nothing goes without a yes, and no ledger is replayed needlessly. */
import { expect, test, vi } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { Continuity, openSqliteStore } from "../../src/continuity/index.ts";
import { Project } from "../../src/continuity/project.ts";
import { continuityFile } from "../../src/continuity-tools/index.ts";
import { runHere } from "./in-process.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

async function filled(state: string): Promise<void> {
  const continuity = new Continuity({
    store: openSqliteStore({ file: continuityFile(state) }),
    now: () => Date.now() - 100 * DAY_MS,
  });
  const project = await continuity.project("shop");
  for (let at = 0; at < 5; at++) {
    const { goal_id } = await project.createGoal({ text: `g${at}` });
    await project.setGoalStatus({ goal_id, status: "done" });
  }
  await continuity.close();
}

test("a script that cannot be asked and did not say yes removes nothing", async () => {
  const state = newFolder();
  await filled(state);
  const args = ["continuity", "prune", "--before", "90d", "--json"];
  expect(await runHere(state, args)).toMatchObject({
    status: 1,
    data: { code: "declined", message: expect.stringMatching(/--yes.*--dry-run.*Nothing was removed/s) },
  });
  expect((await runHere(state, [...args, "--dry-run"])).data).toMatchObject({ projects: [{ removed: 8 }] });
  const once = vi.spyOn(Project.prototype, "prune");
  try {
    expect((await runHere(state, [...args, "--yes"])).data).toMatchObject({
      projects: [{ project_id: "shop", removed: 8, kept: 1, base_event_seq: 10 }],
    });
    expect(once).toHaveBeenCalledTimes(1);
  } finally {
    once.mockRestore();
  }
  const again = await runHere(state, ["continuity", "prune", "--before", "90d", "--yes"]);
  expect(again.stdout).toMatch(/^nothing of before /);
  expect((await runHere(state, ["continuity", "verify"])).status).toBe(0);
});
