/** A purge that leaves what a session wrote in the trees of another one has deleted nothing. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { workspaceFiles } from "../../src/privacy/holders/workspace-files.ts";
import { forgetSessions } from "../../src/workspace/index.ts";
import { STAGING_PREFIX } from "../../src/workspace/snapshots/left-out.ts";
import { Scene } from "./workspace.ts";

/** Git's tree without files. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => scene.close());

const write = (name: string, content: string): void => writeFileSync(scene.at(name), content);
const read = (name: string): string | undefined =>
  existsSync(scene.at(name)) ? readFileSync(scene.at(name), "utf8") : undefined;

/** Deletes what is kept of the session `gone`. */
async function forget(): Promise<string[]> {
  return forgetSessions(scene.store, new Set(["gone"]), () => {
    execFileSync(process.execPath, [
      "--no-warnings",
      "--eval",
      `new (require("node:sqlite").DatabaseSync)(${JSON.stringify(scene.store.recordsFile)}).exec("DELETE FROM steps WHERE session_id = 'gone'")`,
    ]);
    return [];
  });
}

function contents(): string[] {
  if (!scene.store.exists) return [];
  const git = (...args: string[]): string =>
    execFileSync("git", ["--git-dir", join(scene.store.folder, "store.git"), ...args], { encoding: "latin1" });
  return git("cat-file", "--batch-all-objects", "--batch-check")
    .split("\n")
    .filter((line) => line.includes(" blob "))
    .map((line) => git("cat-file", "blob", line.slice(0, 40)));
}

it("a file that the session wrote and deleted again is in no tree of a session that worked meanwhile", async () => {
  await scene.batch(() => write("diary.md", "the diagnosis"), "gone");
  const start = scene.say(undefined, "other");
  await scene.batch(() => write("b.txt", "b"), "other");
  await scene.batch(() => rmSync(scene.at("diary.md")), "gone");
  await scene.batch(() => write("b.txt", "bb"), "other");
  expect(contents()).toContain("the diagnosis");
  expect(await forget()).toEqual([]);
  expect(contents().toSorted()).toEqual(["b", "bb"]);
  await scene.move(start, undefined, "other");
  expect(scene.files()).toEqual({});
});

const purge = async (): Promise<readonly string[]> =>
  workspaceFiles(scene.state).erase({ sessionIds: new Set(["gone"]), sessionKeys: new Set() });

it("a run that was killed when the records were deleted and the contents were not yet is finished by the next one", async () => {
  await scene.batch(() => write("diary.md", "the diagnosis"), "gone");
  await scene.batch(() => write("b.txt", "b"), "other");
  await scene.batch(() => rmSync(scene.at("diary.md")), "gone");
  await scene.batch(() => write("b.txt", "bb"), "other");
  const killed = forgetSessions(scene.store, new Set(["gone"]), () => {
    const database = new DatabaseSync(scene.store.recordsFile);
    database.exec("DELETE FROM steps WHERE session_id = 'gone'");
    database.close();
    throw new Error("killed");
  });
  await expect(killed).rejects.toThrow("killed");
  expect(contents()).toContain("the diagnosis");
  expect(await purge()).toEqual([]);
  expect(contents().toSorted()).toEqual(["b", "bb"]);
});

it("what a move that was cut off had staged goes with its session", async () => {
  await scene.batch(() => write("b.txt", "b"), "other");
  await scene.batch(() => write("diary.md", "the diagnosis"), "gone");
  await scene.batch(() => rmSync(scene.at("diary.md")), "gone");
  const owner = scene.owner("gone");
  await scene.store.use(async ({ records, folder, markPending }) => {
    markPending(true);
    records.intend({ intentId: "cut-off", owner, before: EMPTY_TREE, after: EMPTY_TREE, plan: [] });
    for (const above of [folder, scene.workspace]) {
      const staging = join(above, `${STAGING_PREFIX}cut-off-0123456789abcdef`);
      mkdirSync(staging);
      writeFileSync(join(staging, "0"), "the diagnosis");
    }
  });
  expect(await purge()).toEqual([]);
  const left = [scene.store.folder, scene.workspace].flatMap((folder) => readdirSync(folder));
  expect(left.filter((name) => name.startsWith(STAGING_PREFIX))).toEqual([]);
});

it("what another session changed in a forgotten version stays as it is in a move, and is not deleted by it", async () => {
  await scene.batch(() => write("shared", "by the session that goes"), "gone");
  const start = scene.say(undefined, "other");
  await scene.batch(() => {
    write("shared", "edited by the other");
    write("own", "own");
  }, "other");
  await scene.batch(() => copyFileSync(scene.at("own"), scene.at("copy")), "gone");
  await forget();
  expect(contents()).not.toContain("by the session that goes");
  await scene.move(start, undefined, "other");
  expect([read("shared"), read("own")]).toEqual(["edited by the other", undefined]);
});

it("a version that is in the workspace is not taken for a new file of a batch that runs", async () => {
  await scene.batch(() => write("notes", "still there"), "gone");
  const start = scene.say(undefined, "other");
  await scene.batch(async () => {
    write("other", "other");
    await forget();
  }, "other");
  await scene.move(start, undefined, "other");
  expect(scene.files()).toEqual({ notes: "still there" });
});

it("a copy that the session made of a person's file takes nothing of that file's versions away", async () => {
  write("person", "one");
  const start = scene.say(undefined, "other");
  await scene.batch(() => copyFileSync(scene.at("person"), scene.at("copy")), "gone");
  await scene.batch(() => write("person", "two"), "other");
  await forget();
  await scene.move(start, undefined, "other");
  expect(read("person")).toBe("one");
});

it("whatever two sessions did one after the other: nothing of the one is left but present files, and the other goes back in its own files", async () => {
  const names = ["a", "b", "dir/a"];
  const op = fc.record({
    by: fc.constantFrom("gone", "other"),
    name: fc.constantFrom(...names),
    what: fc.constantFrom("write", "remove"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 2, maxLength: 7 }), async (ops) => {
      scene.close();
      scene = new Scene();
      execFileSync("mkdir", ["-p", scene.at("dir")]);
      for (const name of names) write(name, `person's ${name}`);
      const start = scene.say(undefined, "other");
      for (const [at, { by, name, what }] of ops.entries())
        await scene.batch(() => {
          if (what === "remove") rmSync(scene.at(name), { force: true });
          else write(name, `${by} ${at}`);
        }, by);
      await forget();
      const present = new Set(Object.values(scene.files()));
      const kept = contents().filter((content) => content.startsWith("gone") && !present.has(content));
      expect(kept).toEqual([]);
      const before = scene.files();
      await scene.move(start, "theirs", "other");
      const after = scene.files();
      for (const name of names) {
        const by = new Set(ops.filter((one) => one.name === name).map((one) => one.by));
        if (!by.has("gone")) expect(after[name]).toBe(`person's ${name}`);
        else if (!by.has("other")) expect(after[name]).toBe(before[name]);
      }
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 10) },
  );
});
