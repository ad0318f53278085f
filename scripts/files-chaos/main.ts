/**
 * Kills real OpenClaw with SIGKILL at every step of a move with files, and looks whether files and conversation go on
 * together: `npm run trial files-chaos -- --release 2026.2.3 --kills 200`.
 */
import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import type { Release } from "../../src/patching/index.ts";
import { playRelease, type Outcome } from "./play.ts";
import { endWithSignals } from "../end-with-signals.ts";

const { values } = parseArgs({
  options: {
    release: { type: "string", multiple: true, default: [...BASE_RELEASES] },
    kills: { type: "string", default: "200" },
    seed: { type: "string" },
    only: { type: "string", multiple: true },
    verbose: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const seed = values.seed ?? String(randomInt(1_000_000));
const RESULTS = fileURLToPath(new URL("../../results/", import.meta.url));
const started = performance.now();
const all = new Map<Release, Outcome[]>();
// What was found until then is reported, and what was started is ended.
endWithSignals(report);

console.log(`seed ${seed}`);
for (const release of values.release as Release[]) {
  const { patched, stock } = await ensurePatched(release, { say: (line) => console.error(line) });
  const outcomes: Outcome[] = [];
  all.set(release, outcomes);
  await playRelease({
    release,
    roots: { patched: join(patched, "..", ".."), stock: join(stock, "..", "..") },
    kills: Number(values.kills),
    seed,
    only: values.only?.map(Number),
    ...(values.verbose && { log: (line: string) => console.error(`  ${line}`) }),
    done: (outcome) => {
      outcomes.push(outcome);
      for (const finding of outcome.findings)
        console.log(
          `${release} kill ${outcome.kill.n} ${JSON.stringify(outcome.kill.place)} ${outcome.kill.verb}: ${finding}`,
        );
      if (outcomes.length % 10 === 0)
        console.error(`${release}: ${outcomes.length} kills, ${Math.round((performance.now() - started) / 1000)} s`);
    },
  });
  if (outcomes.some(({ findings }) => findings.length > 0)) process.exitCode = 1;
}
report();

function formatTable(): string {
  const rows = [...all].map(([release, outcomes]) => {
    const count = (is: (outcome: Outcome) => boolean): number => outcomes.filter(is).length;
    const counts = [
      outcomes.length,
      count(({ isKilled }) => isKilled),
      count(({ moved }) => moved),
      count(({ mixed }) => mixed > 0),
      count(({ findings }) => findings.length > 0),
    ];
    return `| ${[release, ...counts].join(" | ")} |`;
  });
  return [
    "| release | turns | killed | conversation had moved | files were between the two | half a move afterwards |",
    "|-|-|-|-|-|-|",
    ...rows,
  ].join("\n");
}

function report(): void {
  const table = formatTable();
  console.log(`\n${table}`);
  if (!values.write) return;
  mkdirSync(RESULTS, { recursive: true });
  const text = `# Kills of a move with files

\`npm run trial files-chaos -- --seed ${seed}\`, ${Math.round((performance.now() - started) / 60_000)} min.

Real OpenClaw is ended by SIGKILL at the steps of a move that brings eight kinds of changed files back: before and behind
every statement, every change of a file and every start of git, from the record of the intent to the end of the move, and
at steps of the batch before. Then a new process gets the next message. A half move is: the conversation has moved and a
file has not, or the other way round, or the next message is not answered, or something of the move is left. A turn that
was over before its step came was not killed.

${table}
`;
  writeFileSync(join(RESULTS, "files-chaos.md"), text);
  console.log("wrote results/files-chaos.md");
}
