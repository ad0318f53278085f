/**
 * A program of somebody who may write in a folder and wants what is outside of it: puts links to the outside in the place
 * of folders and files, as fast as it can, and pipes and hostile ignore files beside them. Started with the folder, the
 * outside folder and a seed; ends when its standard input does. While a file `quiet` is there, it only swaps.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder = "", outside = "", seed = "1"] = process.argv.slice(2);
const at = (...names: string[]): string => join(folder, ...names);
let state = Number(seed);
/** Park and Miller's generator. */
const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;

/** Folders that are swapped for links, and what a round does with one. */
const SWAPPED = ["swapped", join("deep", "swapped")];
const HIDDEN = ".hidden-by-the-neighbour";
const FILES = 300;
let count = 0;

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Somebody else has moved it meanwhile.
  }
}

/** Puts a link in the place of a folder or a file for a moment, or for so many milliseconds. */
function swap(path: string, target: string, holdMs = 0): void {
  const [link, hidden] = [`${at(HIDDEN)}-link`, `${at(HIDDEN)}-${path.replaceAll("/", "-")}`];
  quietly(() => symlinkSync(target, link));
  quietly(() => renameSync(at(path), hidden));
  quietly(() => renameSync(link, at(path)));
  for (const end = performance.now() + holdMs; performance.now() < end;);
  quietly(() => renameSync(at(path), link));
  quietly(() => renameSync(hidden, at(path)));
}

/** What a move stages where an agent can reach it is swapped, filled and moved away. */
function attackStaging(): void {
  for (const name of readdirSync(folder).filter((one) => one.startsWith(".openclaw-integrity-move-"))) {
    quietly(() => mkdirSync(at(name, "planted")));
    quietly(() => symlinkSync(outside, at(name, "planted-link")));
    for (let file = 0; file < 5; file++) swap(join(name, String(file)), join(outside, "secret"));
    if (random(4) === 0) swap(name, outside);
  }
}

/** When the first files of a folder are read, the folder is a link before the others are. */
const WATCHED = ["file-0", "file-1", `file-${FILES - 1}`];
let readAt = "";
const times = (): string =>
  WATCHED.map((name) => statSync(at("many", name), { throwIfNoEntry: false })?.atimeMs).join();
function swapWhileRead(): void {
  for (let looks = 0; looks < 200; looks++) {
    const now = times();
    if (now !== readAt && readAt !== "") swap("many", outside, 60);
    readAt = times();
  }
}

const PLANTS: readonly (() => void)[] = [
  () => execFileSync("mkfifo", [at("planted", `.gitignore-${count}`)]),
  () => execFileSync("mkfifo", [at("planted", ".gitattributes")]),
  () => symlinkSync(join(outside, "secret"), at("planted", ".gitmodules")),
  () => symlinkSync(join(outside, "secret"), at("planted", ".gitignore")),
  () => symlinkSync(outside, at("planted", ".git")),
  () => writeFileSync(at("planted", "deep", ".gitignore"), `${"*a".repeat(300)}b\n`.repeat(500)),
  () => symlinkSync("/dev/zero", at("planted", "zero")),
  // New files are hidden by it, known ones may not be.
  () => writeFileSync(at(".gitignore"), "*\n!/new\n"),
];

function round(): void {
  for (const path of SWAPPED) {
    swap(path, outside);
    swap(join(path, "file-3"), join(outside, "secret"));
    // So that a capture reads it: a file that has not changed is not opened.
    if (!existsSync(at("quiet"))) quietly(() => writeFileSync(at(path, `file-${random(8)}`), `round ${count}`));
  }
  swap("target", join(outside, "secret"));
  swapWhileRead();
  if (existsSync(folder)) quietly(attackStaging);
  if (++count % 50 === 0) {
    quietly(() => rmSync(at("planted"), { recursive: true }));
    quietly(() => mkdirSync(at("planted", "deep"), { recursive: true }));
    quietly(PLANTS[random(PLANTS.length)]!);
  }
}

process.stdin.resume().on("end", () => {
  console.log(`rounds ${count}`);
  process.exit();
});
console.log("swapping");
for (;;) {
  for (let rounds = 0; rounds < 20; rounds++) round();
  await new Promise((resolve) => setImmediate(resolve));
}
