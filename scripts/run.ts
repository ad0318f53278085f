/**
 * `npm run trial [name] [-- options]`, `npm run generate [name…] [-- --check]`, `npm run upstream [name] [-- options]`: the
 * scripts of a set by their names. Without one, trial and upstream say what they have, and generate runs what it has.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a script is for, by its name. */
type Scripts = Readonly<Record<string, string>>;

/** Long runs against the real OpenClaw, or of random cases; results/ has the last full one of each. */
const TRIALS: Scripts = {
  recovery: "every measured live fault through the real OpenClaw, unpatched and patched",
  "never-worse": "every case unpatched and patched: what the patched one may not do worse",
  soak: "gateways under load, stock and patched as twins",
  size: "sessions that are too large, and one that grows far beyond what its provider takes",
  limits: "how deep and how large a stored message may be",
  chaos: "kill -9 at random points of turns",
  "step-chaos": "kill -9 behind each step of a turn that changes the disk",
  "travel-chaos": "kill -9 at every place of a move",
  "files-chaos": "kill -9 at every step of a move with files",
  "continuity-chaos": "workers of the kernel killed, suspended, and without their server",
  "random-providers": "providers that refuse by a hidden rule",
  "library-sessions": "random sessions of the library, in processes that are killed",
  runtimes: "the library in Node 20, Bun, Deno, workerd and Chromium: the same results as in Node 24",
  frameworks: "damaged histories through the agents of other projects, as they are and with the library",
  fuzz: "random corrupt histories through the repair and the real adapters",
  "disk-repair": "the corpus, as it is and after repair on the disk",
  growth: "how the work of each function grows with its data",
  scale: "what one unit costs where there are ten to a million",
  "bench-apply": "how long applying takes",
  fork: "OpenClaw built from its sources with the patch in them",
};
/** What is written from what is in the tree; each has `--check`. */
const GENERATED: Scripts = {
  patches: "the patch files of patches/",
  notices: "THIRD_PARTY_NOTICES",
  rules: "the lists of docs/provider-rules.md",
  cli: "the commands of docs/cli.md, from their own help",
  "upstream-md": "UPSTREAM.md",
  picture: "the pictures of docs/images",
};
/** The same, by its name only, without `--check`: Chromium gives no two pictures that are the same to the byte. */
const SHOT: Scripts = { screenshots: "the screenshots of docs/images, with Chromium" };
const UPSTREAM: Scripts = {
  check: "the pull requests of upstream/ still apply and are whole",
  proof: "what each pull request changes in the real OpenClaw",
  tests: "OpenClaw's own tests without and with the patch",
};

function run(folder: string, given: readonly string[]): void {
  const main = fileURLToPath(new URL(`${folder}/main.ts`, import.meta.url));
  const { status, signal } = spawnSync(process.execPath, [main, ...given], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? (signal === "SIGINT" ? 130 : 1));
}

function offer(set: string, scripts: Scripts, found: string | undefined): void {
  console.error(`expected npm run ${set} <name> [-- options]; found ${found ?? "no name"}. The names:`);
  for (const [name, about] of Object.entries(scripts)) console.error(`  ${name.padEnd(17)} ${about}`);
  process.exitCode = 2;
}

const [set = "", ...given] = process.argv.slice(2);
const first = given.findIndex((one) => one.startsWith("-"));
const names = first < 0 ? given : given.slice(0, first);
if (set === "generate") {
  const known = { ...GENERATED, ...SHOT };
  const unknown = names.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) offer(set, known, unknown);
  else for (const name of names.length > 0 ? names : Object.keys(GENERATED)) run(name, given.slice(names.length));
} else {
  const scripts = set === "trial" ? TRIALS : UPSTREAM;
  const [name, ...options] = given;
  if (name === undefined || !Object.hasOwn(scripts, name)) offer(set, scripts, name);
  else run(set === "trial" ? name : `upstream-${name}`, options);
}
