/**
 * `npm run trial step-chaos [-- --release R] [--variant stock|patched] [--every K] [--lanes 2] [--write]`: kills the real
 * OpenClaw by SIGKILL behind each step of a turn that changes its disk or starts a command, and half-way through each
 * line of a transcript, and looks at what its next process makes of them. Exit code 1 when a patched OpenClaw fails a
 * check.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import type { Release } from "../../src/patching/index.ts";
import { checksTable, placesTable } from "../chaos/report.ts";
import { addTo, emptyTally, type Tally } from "../chaos/tally.ts";
import { markdownTable, printTable } from "../fuzz/table.ts";
import { recordPlaces, playPlaces } from "./play.ts";
import { describeMaking } from "../measured/making.ts";

const { values } = parseArgs({
  options: {
    release: { type: "string", multiple: true, default: BASE_RELEASES },
    variant: { type: "string", multiple: true, default: ["patched", "stock"] },
    every: { type: "string", default: "1" },
    lanes: { type: "string", default: "2" },
    write: { type: "boolean", default: false },
  },
});
const PAGE = fileURLToPath(new URL("../../results/step-chaos.md", import.meta.url));
const PLACES_PER_STATE = 20;
const every = Number(values.every);
const command = ["npm run trial step-chaos", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(
  " ",
);
const started = performance.now();
const tallies: Tally[] = [];
const jobs: (() => Promise<void>)[] = [];

for (const release of values.release as Release[]) {
  const installed = await ensurePatched(release, { say: (line) => console.error(line) });
  for (const variant of ["stock", "patched"] as const) {
    if (!values.variant.includes(variant)) continue;
    const killed = { release, root: join(installed[variant], "..", "..") };
    const tally = emptyTally({ release, variant, mode: "in-process" });
    tallies.push(tally);
    const places = (await recordPlaces(killed)).filter((_, at) => at % every === 0);
    console.error(`${release} ${variant}: ${places.length} places`);
    for (let at = 0; at < places.length; at += PLACES_PER_STATE)
      jobs.push(async () => {
        await playPlaces(killed, places.slice(at, at + PLACES_PER_STATE), (outcome) => {
          addTo(tally, outcome);
          for (const { fault, detail } of outcome.conversations.flatMap(({ checks }) =>
            checks.flatMap((one) => one.failures),
          ))
            console.log(`${release} ${variant}, place ${outcome.n}: ${fault}: ${detail}`);
        });
        console.error(`${release} ${variant}: ${tally.kills} of ${places.length} kills, ${minutes()} min`);
      });
  }
}

function minutes(): number {
  return Math.round((performance.now() - started) / 60_000);
}

async function lane(): Promise<void> {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job();
}
await Promise.all(Array.from({ length: Number(values.lanes) }, lane));

printTable(checksTable(tallies));
printTable(placesTable(tallies));
if (values.write)
  writeFileSync(
    PAGE,
    `# Chaos, step by step: kill -9 behind each step of a turn

${describeMaking(command, `${minutes()} minutes`)}

A turn of the real OpenClaw asks for a command, then for a command that fails and a file at once, then answers. What it does is counted from
the message on: each change of a file, each statement to SQLite outside of a transaction, each end of a transaction, each start of another process.
The process ends itself by SIGKILL right behind one of these steps, and half-way through each line that is appended to a transcript; every step of the
turn has its own kill. Then OpenClaw is started again on the same state and the next message goes out, to a strict provider. The columns are those of
[chaos.md](chaos.md), which kills from outside at random moments.

${markdownTable(checksTable(tallies))}

## Where the turns were

${markdownTable(placesTable(tallies))}
`,
  );
if (
  tallies.some(
    ({ variant, faults, checks, answered }) => variant === "patched" && (faults.size > 0 || answered < checks),
  )
)
  process.exitCode = 1;
