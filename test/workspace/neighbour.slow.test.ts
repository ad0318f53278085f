/**
 * A confined agent that swaps folders and files for links at every moment reads, changes or deletes something outside of
 * its workspace through a capture or a move; or a move is half done.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { asNobody, reachableNode } from "../../harness/nobody.ts";
import { expectUntouched, recordTree } from "../../harness/neighbour/untouched.ts";
import { patience } from "../../harness/patience.ts";
import { git } from "../../src/workspace/git/git.ts";
import { Scene } from "./workspace.ts";

/** Batches with a capture before and behind each; every tenth is taken back by a move, and this by another one. */
const ROUNDS = Number(process.env["NEIGHBOUR_ROUNDS"] ?? 10);
const SECRET = "HOST-SECRET-TOKEN";
const FILES = 300;

/** Where a rename cannot lead from the snapshots to the workspace, files are staged in the agent's reach. */
const OTHER_DISK = "/dev/shm";
const isOtherDisk = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync("/tmp").dev;

interface Neighbour {
  /** A folder for the workspace on another disk than the snapshots. */
  readonly within?: string;
  /** The gateway's own user, as in a container with the workspace in it, or another one. */
  readonly user: "the gateway's" | "another";
  readonly seed: number;
}

async function play({ within, user, seed }: Neighbour): Promise<void> {
  const scene = new Scene(within);
  const outside = join(scene.folder, "outside");
  mkdirSync(outside, { mode: 0o700 });
  for (const name of ["secret", ...Array.from({ length: FILES }, (_, at) => `file-${at}`)])
    writeFileSync(join(outside, name), `${SECRET} in ${name}`, { mode: 0o600 });
  const before = recordTree(outside);
  const own = ["a", "b", "deep/c", "new"];
  const write = (tag: string): void => {
    for (const name of own.slice(0, 3)) writeFileSync(scene.at(name), `${tag} in ${name}`);
  };
  for (const folder of ["swapped", "deep/swapped", "planted/deep"]) mkdirSync(scene.at(folder), { recursive: true });
  mkdirSync(scene.at("many"));
  // Through a handle: the agent of the test is not to write outside either.
  const fill = (folder: string, tag: string): void => {
    const handle = openSync(scene.at(folder), constants.O_DIRECTORY | constants.O_NOFOLLOW);
    for (let at = 0; at < FILES; at++) writeFileSync(`/proc/self/fd/${handle}/file-${at}`, `${tag} in file ${at}`);
    closeSync(handle);
  };
  for (const folder of ["swapped", "deep/swapped"]) fill(folder, "start");
  writeFileSync(scene.at("target"), "target");
  write("start");
  const state = (): string[] =>
    own.map((name) => (existsSync(scene.at(name)) ? readFileSync(scene.at(name), "utf8") : "-"));
  await scene.batch(() => writeFileSync(scene.at("first"), "first"));
  // Everybody may write in the workspace, and nobody but its owner outside.
  execFileSync("chmod", ["-R", "a+rwX", scene.workspace]);
  for (const folder of [scene.folder, join(scene.workspace, "..")]) chmodSync(folder, 0o711);
  const program = join(scene.folder, "swapper.ts");
  copyFileSync(fileURLToPath(new URL("../../harness/neighbour/swapper.ts", import.meta.url)), program);
  chmodSync(program, 0o644);
  const neighbour = spawn(reachableNode(), ["--no-warnings", program, scene.workspace, outside, String(seed)], {
    cwd: "/",
    stdio: ["pipe", "pipe", "inherit"],
    ...(user === "another" && asNobody),
  });
  const ended = once(neighbour, "exit");
  let said = "";
  neighbour.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const refused = new Map<string, number>();
  const moved = { done: 0 };
  const move = async (mark: string | undefined): Promise<string | undefined> => {
    try {
      const { departure } = await scene.move(mark, "theirs");
      moved.done++;
      return departure;
    } catch (error) {
      const { code = "none" } = error as { code?: string };
      refused.set(code, (refused.get(code) ?? 0) + 1);
      return undefined;
    }
  };
  try {
    await once(neighbour.stdout, "data");
    for (let round = 1; round <= ROUNDS; round++) {
      await scene.batch(() => {
        try {
          fill("many", `round ${round}`);
        } catch {
          // A link stands there at this moment.
        }
      }, "other");
      // The neighbour writes nothing then, and swaps on: what it writes while a batch runs blocks the move of it.
      if (round % 10 === 0) writeFileSync(scene.at("quiet"), "");
      else rmSync(scene.at("quiet"), { force: true });
      const start = scene.say();
      const there = state();
      await scene.batch(() => {
        write(`round ${round}`);
        if (round % 2 === 0) writeFileSync(scene.at("new"), "new");
        else rmSync(scene.at("new"), { force: true });
      });
      if (round % 10 !== 0) continue;
      const here = state();
      const departure = await move(start);
      expect([there, here]).toContainEqual(state());
      if (departure === undefined) continue;
      await move(departure);
      expect([there, here]).toContainEqual(state());
    }
  } finally {
    neighbour.stdin.end();
    await ended;
  }
  expect(Number(/rounds (\d+)/.exec(said)?.[1])).toBeGreaterThan(0);
  expectUntouched(outside, before);
  const stored = await scene.store.use(async ({ place }) =>
    (await git(place, ["cat-file", "--batch-all-objects", "--batch"])).output.toString("latin1"),
  );
  expect(stored).toContain("round 1 in a");
  expect(stored).not.toContain(`${SECRET} in`);
  const found = spawnSync("find", [scene.workspace, "-type", "f", "-exec", "grep", "-l", SECRET, "{}", "+"]);
  expect(found.stdout.toString()).toBe("");
  console.log(`${said.trim().replaceAll("\n", ", ")}; moves ${moved.done}, refused ${JSON.stringify([...refused])}`);
  scene.close();
}

it.each<Neighbour>([
  { user: "the gateway's", seed: 20261126 },
  { user: "another", seed: 20261127 },
])(
  "beside a program of $user user that swaps folders and files for links, no foreign byte comes in, nothing outside is changed, and moves are whole",
  play,
  patience(120_000 + ROUNDS * 3000),
);

it.skipIf(!isOtherDisk)(
  "nor where the files of a move are staged in the workspace, because it is on another disk than the snapshots",
  () => play({ within: mkdtempSync(join(OTHER_DISK, "workspace-")), user: "the gateway's", seed: 20261128 }),
  patience(120_000 + ROUNDS * 3000),
);
