/**
 * `npm run trial never-worse [-- --group corpus|faults|reports|random] [--release R] [--only REGEXP] [--random 200] [--seed 1]
 * [--lanes 1] [--minutes N] [--json FILE] [--write]`: every case through the unpatched and the patched OpenClaw, with the
 * same provider. `--write` writes the groups that were played into their page. Exit code 1 when the patched one does
 * anything worse that is no known exception.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { calibrate } from "../../harness/patience.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { isRelease, type Release } from "../../src/patching/base/releases.ts";
import { GROUPS, type Group } from "./case.ts";
import { chooseCases } from "./cases.ts";
import { pageWith } from "./page.ts";
import { replayCommand, formatJson, findingLines, formatSection } from "./report.ts";
import { runGate, type Pair } from "./run.ts";
import { endWithSignals } from "../end-with-signals.ts";

const { values } = parseArgs({
  options: {
    group: { type: "string", multiple: true, default: [...GROUPS] },
    release: { type: "string", multiple: true, default: BASE_RELEASES },
    only: { type: "string" },
    random: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    // A turn that is starved of the machine's cores would be measured as slow or as hung.
    lanes: { type: "string", default: "1" },
    // What has been played by then is the result; the page shows the command, and so that it is not all.
    minutes: { type: "string" },
    json: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const command = commandLine(process.argv.slice(2));
const failuresPath = values.json ?? join(ROOT, ".cache", "never-worse", "failures.json");
const PROGRESS_EVERY = 25;

calibrate();

// So that OpenClaw's processes are ended too.
endWithSignals();

/** The command that plays the same again; where its JSON went is of this machine. */
function commandLine(given: readonly string[]): string {
  const json = given.indexOf("--json");
  const told = json < 0 ? given : given.toSpliced(json, 2);
  const quoted = told.map((one) => (/^[\w./-]+$/.test(one) ? one : `'${one}'`));
  return ["npm run trial never-worse", ...(quoted.length > 0 ? ["--", ...quoted] : [])].join(" ");
}

function parseGroup(name: string): Group {
  const found = GROUPS.find((one) => one === name);
  if (found === undefined) throw new Error(`expected --group with one of ${GROUPS.join(", ")}; found ${name}`);
  return found;
}

function parseRelease(name: string): Release {
  if (!isRelease(name)) throw new Error(`expected --release with one of ${BASE_RELEASES.join(", ")}; found ${name}`);
  return name;
}

const cases = chooseCases({
  groups: values.group.map(parseGroup),
  random: Number(values.random),
  seed: Number(values.seed),
  ...(values.only !== undefined && { only: new RegExp(values.only) }),
});
if (cases.length === 0) throw new Error(`expected at least one case that --only finds; found none for ${values.only}`);
const releases = values.release.map(parseRelease);

// What was found is on the disk at any time: a long run that is broken off has not been for nothing.
const pairs: Pair[] = [];
mkdirSync(dirname(failuresPath), { recursive: true });
function take(pair: Pair, done: number, total: number): void {
  pairs.push(pair);
  if (pair.findings.length > 0) {
    console.log([...findingLines(pair), `  ${replayCommand(pair)}`].join("\n"));
    writeFileSync(failuresPath, formatJson(pairs));
  }
  if (done % PROGRESS_EVERY !== 0 && done !== total) return;
  const times = (["stock", "patched"] as const).map((variant) => `${variant} ${sumSeconds(pair.release, variant)} s`);
  console.error(`OpenClaw ${pair.release}: ${done} of ${total}; ${times.join(", ")} a case`);
}

function sumSeconds(release: string, variant: "stock" | "patched"): string {
  const records = pairs.filter((pair) => pair.release === release).map((pair) => pair[variant]);
  const ms = records.flatMap(({ turns }) => turns).reduce((sum, turn) => sum + turn.ms, 0);
  return (ms / 1000 / records.length).toFixed(1);
}

const say = (line: string): void => console.error(line);
const how = {
  cases,
  lanes: Number(values.lanes),
  ...(values.minutes !== undefined && { minutes: Number(values.minutes) }),
  say,
  onPair: take,
};
const runs = releases.map((release) => runGate({ release, ...how }));
const all = (await Promise.all(runs)).flat();

const sections = Object.fromEntries(
  [...Map.groupBy(all, ({ played }) => played.group)].map(([group, some]) => [group, formatSection(some, command)]),
);
for (const [group, text] of Object.entries(sections)) console.log(`\n${group}: ${text}`);
writeFileSync(failuresPath, formatJson(all));
if (values.write) {
  const page = join(ROOT, "results", "never-worse.md");
  writeFileSync(page, pageWith(sections, existsSync(page) ? readFileSync(page, "utf8") : ""));
  console.log("wrote results/never-worse.md");
}
if (all.some(({ findings }) => findings.length > 0)) {
  console.log(`what is worse is in ${failuresPath}`);
  process.exitCode = 1;
}
