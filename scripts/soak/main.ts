/**
 * `npm run trial soak [-- --minutes 5] [--release R] [--variant stock|patched|both] [--seed S] [--conversations 5]
 * [--no-kills] [--shrink] [--write] [--json FILE]`: real gateways under load, stock and patched as twins. Exit code 1 when the patched
 * one has a fault that stock has not, or has any where it is soaked alone. `--shrink` looks for the fewest actions that
 * lead to each.
 */
import { randomInt } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensurePatched, ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import type { Release } from "../../src/patching/index.ts";
import { printTable } from "../fuzz/table.ts";
import { keepEvidence } from "./evidence.ts";
import type { Fault } from "./judge.ts";
import { faultLine, faultLines, soakPage, soakTable, type SoakRun } from "./report.ts";
import { shrink } from "./shrink.ts";
import { Side, type Subject } from "./side.ts";
import { actionNumber, soak, type Soaking } from "./soak.ts";
import { tallySide, worseThanStock, type Tally } from "./tally.ts";
import { endWithSignals } from "../end-with-signals.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    release: { type: "string", multiple: true, default: BASE_RELEASES },
    variant: { type: "string", default: "both" },
    seed: { type: "string" },
    conversations: { type: "string", default: "5" },
    "no-kills": { type: "boolean", default: false },
    shrink: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const RESULTS = fileURLToPath(new URL("../../results/soak.md", import.meta.url));
const command = ["npm run trial soak", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" ");
const seed = values.seed ?? String(randomInt(1_000_000));
const soaking: Soaking = {
  seed,
  conversations: Number(values.conversations),
  ms: Number(values.minutes) * 60_000,
  kills: !values["no-kills"],
};

// So that gateways are ended too; folders in the system's temporary one stay.
endWithSignals();

function say(line: string): void {
  console.error(line);
}

async function installSubjects(release: Release): Promise<Subject[]> {
  const installed =
    values.variant === "stock" ? await ensureRelease(release, { say }) : await ensurePatched(release, { say });
  return (["stock", "patched"] as const)
    .filter((variant) => values.variant === "both" || values.variant === variant)
    .map((variant) => ({ release, variant, root: join(installed[variant], "..", "..") }));
}

async function shrinkAll(side: Side, faults: readonly Fault[]): Promise<void> {
  // One of each kind: the others mostly have the same reason.
  const kinds = Map.groupBy(faults, ({ kind }) => kind);
  for (const [kind, [fault]] of kinds) {
    const of = side.said.filter(
      ({ conversation, action }) => conversation === fault?.conversation && action < Infinity,
    );
    if (fault === undefined || of.length === 0) continue;
    const last = fault.action === undefined || fault.action === Infinity ? of.at(-1)!.action : fault.action;
    const conversation = Number(fault.conversation.slice(1)) - 1;
    const actions = Array.from({ length: last + 1 }, (_, n) => actionNumber(soaking, conversation, n, side));
    const shrunk = await shrink(side, { kind, actions }, `${fault.conversation}y${last}`);
    console.log(`${faultLine(fault)}\n  ${shrunk === undefined ? "did not come again" : shrunkLine(shrunk)}`);
  }
}

function shrunkLine({ actions, tries }: { actions: readonly object[]; tries: number }): string {
  return `comes with (${tries} conversations):\n${actions.map((action) => `    ${JSON.stringify(action)}`).join("\n")}`;
}

async function soakRelease(release: Release): Promise<{ tallies: Tally[]; worse: Fault[] }> {
  const sides = await Promise.all((await installSubjects(release)).map((subject) => Side.open(subject)));
  const progress = setInterval(() => {
    for (const side of sides)
      console.error(
        `${release} ${side.subject.variant}: ${side.said.length} messages, ${side.model.requests.length} requests`,
      );
  }, 60_000);
  try {
    const found = await Promise.all(
      sides.map(async (side) => {
        const faults = await soak(side, soaking);
        return { side, faults, tally: tallySide(side, faults) };
      }),
    );
    const findSide = (variant: string): (typeof found)[number] | undefined =>
      found.find(({ side }) => side.subject.variant === variant);
    // What stock has is counted; only what is soaked alone is worth a line.
    for (const { side, faults } of found)
      if (side.subject.variant === "patched" || sides.length === 1)
        for (const line of faultLines(faults)) console.log(`${release} ${side.subject.variant} ${line}`);
    for (const { side, faults } of found)
      if (side.subject.variant === "patched" && faults.length > 0)
        console.error(`What it can be explained from is in ${await keepEvidence(side, faults, seed)}`);
    const patched = findSide("patched");
    const worse = patched === undefined ? [] : worseThanStock(patched.faults, findSide("stock")?.faults);
    const judged = patched ?? found[0];
    if (values.shrink && judged !== undefined) await shrinkAll(judged.side, patched ? worse : judged.faults);
    return { tallies: found.map(({ tally }) => tally), worse };
  } finally {
    clearInterval(progress);
    await Promise.all(sides.map((side) => side.close()));
  }
}

console.log(`seed ${seed}`);
const runs: SoakRun[] = [];
for (const release of values.release as Release[])
  runs.push({ release, command, seed, ...(await soakRelease(release)) });
printTable(soakTable(runs.flatMap(({ tallies }) => tallies)));
for (const { release, worse } of runs)
  for (const line of faultLines(worse)) console.log(`worse than stock, ${release}: ${line}`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(runs)}\n`);
if (values.write) {
  const page = existsSync(RESULTS) ? readFileSync(RESULTS, "utf8") : "";
  writeFileSync(RESULTS, soakPage(page, runs));
  console.log("wrote results/soak.md");
}
if (runs.some(({ worse }) => worse.length > 0)) process.exitCode = 1;
