import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Continuity, openSqliteStore } from "../../../src/continuity/index.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { kinds, type Place } from "../places.ts";
import type { CopyCommand } from "./copy-process.ts";

const PROCESS = fileURLToPath(new URL("copy-process.ts", import.meta.url));
const KILLS = Number(process.env["CONTINUITY_KILLS"] ?? 2);
/** Projects of the store that is killed, and events of each. */
const PROJECTS = 6;
const GOALS = 120;

function started(command: CopyCommand): ChildProcess & { readonly said: string[] } {
  const child = spawn(process.execPath, ["--no-warnings", PROCESS, JSON.stringify(command)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  child.stdout.on("data", (bytes: Buffer) => said.push(bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => said.push(`error: ${bytes.toString()}`));
  return Object.assign(child, { said });
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  return child.exitCode;
}

/** How long a whole run takes, and then runs that are killed at random moments of that time. */
async function killedAtRandom(command: CopyCommand, afterwards: () => Promise<void>): Promise<void> {
  const began = performance.now();
  const whole = started(command);
  expect(await ended(whole), whole.said.join("")).toBe(0);
  const longest = performance.now() - began;
  await afterwards();
  for (let kill = 0; kill < KILLS; kill++) {
    const child = started(command);
    // Most of the time is that of the start.
    await sleep(longest * (0.4 + 0.6 * Math.random()));
    child.kill("SIGKILL");
    await ended(child);
    await afterwards();
  }
}

/** A backup of a store that has them; made in memory, where nothing waits for a disk. */
async function backupOfAll(): Promise<string> {
  const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }), snapshots: { everyEvents: 1e6 } });
  for (let nth = 0; nth < PROJECTS; nth++) {
    const project = await continuity.project(`project ${nth}`);
    for (let goal = 0; goal < GOALS; goal++) await project.createGoal({ text: `goal ${goal}` });
  }
  const file = join(newFolder(), "all.jsonl");
  await continuity.backup({ file });
  await continuity.close();
  return file;
}

/** Restores into memory; the numbers of events and of completed steps of a project. */
async function restoredFrom(file: string, name: string): Promise<{ events: number; completed_steps: number }> {
  const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
  await continuity.restore({ file, exact: true });
  const verified = await (await continuity.find(name))!.verify();
  expect(verified.damages).toEqual([]);
  await continuity.close();
  return verified;
}

for (const { skip, title, place } of kinds()) {
  describe.skipIf(skip)(`on ${title}`, () => {
    it("a backup beside a process that writes all the time is one consistent state, with everything that was acknowledged before", async () => {
      const spot = await place();
      const writer = started({ do: "write", options: spot.options });
      const acknowledged = (): number => Number(writer.said.join("").trimEnd().split("\n").at(-1) || 0);
      try {
        while (acknowledged() === 0) await sleep(20);
        const continuity = new Continuity({ store: await spot.open() });
        for (let nth = 0; nth < 8; nth++) {
          await sleep(60);
          const [before, file] = [acknowledged(), join(newFolder(), "backup.jsonl")];
          await continuity.backup({ file });
          expect((await restoredFrom(file, "written")).completed_steps).toBeGreaterThanOrEqual(before);
        }
        expect(writer.exitCode, writer.said.join("").slice(-500)).toBe(null);
      } finally {
        writer.kill("SIGKILL");
        await ended(writer);
      }
    });

    it("a backup that is killed leaves the one of before, or the new one, and never half of one", async () => {
      const spot = await place();
      await new Continuity({ store: await spot.open() }).restore({ file: await backupOfAll(), exact: true });
      const folder = newFolder();
      const file = join(folder, "backup.jsonl");
      await killedAtRandom({ do: "backup", options: spot.options, file }, async () => {
        expect(await restoredFrom(file, `project ${PROJECTS - 1}`)).toMatchObject({ events: GOALS });
        expect(statSync(file).mode & 0o777).toBe(0o600);
      });
      // What kills have left beside is not taken for a backup, and goes with a later one.
      for (const name of readdirSync(folder)) expect(name).toMatch(/^backup\.jsonl(?:\.integrity-[0-9a-f]{16}\.tmp)?$/);
    });

    it("a restoration that is killed leaves whole projects or none, and a repetition completes it", async () => {
      const file = await backupOfAll();
      let spot = await place();
      for (let kill = 0; kill < KILLS; kill++) {
        const child = started({ do: "restore", options: spot.options, file });
        // As soon as that many projects are there: the kill then hits the next one.
        while (child.exitCode === null && (await projectsIn(spot)) < kill % PROJECTS) await sleep(2);
        await sleep(30 * Math.random());
        child.kill("SIGKILL");
        await ended(child);
        const continuity = new Continuity({ store: await spot.open() });
        const names = await continuity.projects();
        for (const name of names)
          expect(await (await continuity.find(name))!.verify(), name).toMatchObject({ events: GOALS + 1, damages: [] });
        const { projects } = await continuity.restore({ file });
        expect(projects.flatMap(({ damages }) => damages)).toEqual([]);
        expect(await continuity.projects()).toHaveLength(PROJECTS);
        spot = await place();
      }
    });
  });
}

async function projectsIn({ kind, options, sql }: Place): Promise<number> {
  // Looking must not make the file.
  if (kind === "sqlite" && !existsSync((options as { file: string }).file)) return 0;
  return sql("SELECT 1 AS n FROM workflows").then(
    (rows) => rows.length,
    () => 0,
  );
}
