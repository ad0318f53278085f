import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Continuity, type ContinuityStore, type Project } from "../../src/continuity/index.ts";
import { createStatements, SQLITE_TYPES, TABLES_VERSION } from "../../src/continuity/sql/rows/schema.ts";
import { newFolder } from "../../harness/temporary.ts";
import { injected } from "./injected.ts";
import { kinds, type Place } from "./places.ts";

const PROCESSES = 8;
const CHILD = fileURLToPath(new URL("child.ts", import.meta.url));

/** Processes that are ready to open the place, and are then told to at once; what each delivered. */
async function atOnce(place: Place, count: number): Promise<string[][]> {
  const children = Array.from({ length: count }, (_, index) => {
    const child = spawn(process.execPath, ["--no-warnings", CHILD, JSON.stringify(place.options), `process ${index}`], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return { child, lines };
  });
  for (const { lines } of children) expect((await lines.next()).value).toBe("ready");
  for (const { child } of children) child.stdin.end("go\n");
  return Promise.all(
    children.map(
      async ({ lines }) => JSON.parse(String((await lines.next()).value ?? '"a process failed"')) as string[],
    ),
  );
}

/**
 * The store itself, and behind each answer to one of these questions another process does something, before the answer
 * is given.
 */
function interrupted(
  store: ContinuityStore,
  questions: readonly (keyof ContinuityStore)[],
  work: () => Promise<unknown>,
): ContinuityStore {
  return new Proxy(store, {
    get(target, name: keyof ContinuityStore) {
      if (typeof target[name] !== "function") return target[name];
      const method = (target[name] as (...of: unknown[]) => Promise<unknown>).bind(target);
      if (!questions.includes(name)) return method;
      return async (...of: unknown[]) => {
        const answer = await method(...of);
        await work();
        return answer;
      };
    },
  });
}

describe("a SQLite store that others are making", () => {
  it("is opened as soon as its tables are there, also while the others write without a pause", async () => {
    const file = join(newFolder(), "new.sqlite");
    const other = new DatabaseSync(file);
    other.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE");
    const index = new URL("../../src/continuity/index.ts", import.meta.url).href;
    const code = `const { openSqliteStore } = await import(${JSON.stringify(index)}); console.log("loaded"); openSqliteStore({ file: ${JSON.stringify(file)} }); console.log("opened");`;
    const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe("loaded");
    // By then it has seen an empty file, and waits.
    await sleep(500);
    for (const statement of createStatements(SQLITE_TYPES)) other.exec(statement);
    other.exec(`PRAGMA application_id = ${0x6f63636f}; PRAGMA user_version = ${TABLES_VERSION}; COMMIT`);
    other.exec("BEGIN IMMEDIATE");
    expect((await lines.next()).value).toBe("opened");
    other.close();
  });
});

for (const { skip, title, place } of kinds()) {
  describe.skipIf(skip)(`of several processes on ${title}`, () => {
    it("all make the schema at once, and carry out commands that all of them deliver once", async () => {
      const spot = await place();
      const delivered = await atOnce(spot, PROCESSES);
      for (const goals of delivered) expect(goals).toEqual(delivered[0]);
      const project = await new Continuity({ store: await spot.open() }).project("p");
      expect(
        Object.values((await project.state()).goals)
          .map(({ text }) => text)
          .toSorted(),
      ).toEqual([
        ...[1, 2, 3, 4, 5].map((command) => `goal ${command}`),
        ...Array.from({ length: PROCESSES }, (_, index) => `only process ${index}'s`),
      ]);
      expect(await project.verify()).toMatchObject({ events: 5 + PROCESSES, damages: [] });
    });

    it("one carries a command out that another was given too, after that had looked for it: it is carried out once", async () => {
      const spot = await place();
      const [mine, theirs] = [await spot.open(), await spot.open()];
      const other = await new Continuity({ store: theirs }).project("p");
      let times = 0;
      const store = interrupted(mine, ["eventById"], async () => {
        if (++times === 1) await other.createGoal({ text: "g", command_id: "c" });
      });
      const project = await new Continuity({ store, ...injected() }).project("p");
      const goal = await project.createGoal({ text: "g", command_id: "c" });
      expect(Object.keys((await other.state()).goals)).toEqual([goal.goal_id]);
      expect(await other.verify()).toMatchObject({ events: 1, damages: [] });
    });

    it("what one does while another checks everything does not look like damage: steps that are completed and leases that change hands", async () => {
      const spot = await place();
      const [mine, theirs] = [await spot.open(), await spot.open()];
      const other = await new Continuity({ store: theirs, snapshots: { everyEvents: 3 } }).project("p");
      let step = 0;
      const work = async (): Promise<void> => {
        const lease = await other.acquireLease({ owner_id: "o" });
        await other.runStep(lease, { step_id: `step ${++step}`, step_type: "pure" }, async () => step);
        await lease.release();
      };
      await work();
      const store = interrupted(mine, ["completedSteps", "lease", "eventsAfter", "snapshots", "workflow"], async () => {
        if (step < 40) await work();
      });
      const project: Project = await new Continuity({ store }).project("p");
      expect((await project.verify()).damages).toEqual([]);
      expect(step).toBeGreaterThan(5);
      expect((await other.verify()).damages).toEqual([]);
    });

    it("one that knows an older state sees what another did, before it refuses a command or answers", async () => {
      const spot = await place();
      const [one, two] = [
        await new Continuity({ store: await spot.open() }).project("p"),
        await new Continuity({ store: await spot.open() }).project("p"),
      ];
      await one.state();
      const { goal_id } = await two.createGoal({ text: "g" });
      const { task_id } = await one.addTask({ goal_id, title: "t" });
      await two.startTask({ task_id });
      await one.completeTask({ task_id });
      expect(await two.getNextStep()).toMatchObject({ kind: "propose_tasks" });
      await expect(two.completeTask({ task_id })).rejects.toMatchObject({ code: "invalid-transition" });
    });
  });
}
