/**
 * `npm run trial disk-repair [-- --write] [--release R] [--only PATTERN]`: the corpus through the unpatched OpenClaw, as it
 * is and after its transcripts were repaired on the disk. Exit code 1 when a repair makes a session worse, or loses a
 * word.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../src/patching/index.ts";
import { loadCorpus } from "../../harness/corpus/case.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { printTable } from "../fuzz/table.ts";
import { makeJobs, type Job } from "../start/jobs.ts";
import { Lane } from "../start/lane.ts";
import { compare, markdown, outcomeTable, type Compared } from "./compare.ts";
import { repairIn } from "./repaired.ts";
import { repairAsSpecified } from "./specified.ts";

const { values } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    release: { type: "string", multiple: true, default: BASE_RELEASES },
    only: { type: "string" },
  },
});
const RESULTS = fileURLToPath(new URL("../../results/disk-repair.md", import.meta.url));
const command = [
  "npm run trial disk-repair",
  ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : []),
].join(" ");
const { signal } = new AbortController();

const compared: Compared[] = [];
for (const release of values.release as Release[]) {
  const installed = await ensureRelease(release, { say: (line) => console.error(line) });
  const lane = await Lane.start({ variant: "stock", release, root: join(installed.stock, "..", ".."), env: {} });
  try {
    const jobs = makeJobs(loadCorpus(), {
      available: lane.apis,
      all: false,
      ...(values.only !== undefined && { only: new RegExp(values.only) }),
    });
    for (const job of jobs) compared.push(await compareOn(lane, release, installed.stock, job));
  } finally {
    await lane.close();
  }
}

/** The specification repairs transcripts in files, and OpenClaw keeps them so up to 2026.7. */
function keepsFiles(release: string): boolean {
  return /^2026\.[1-7]\./.test(release);
}

async function compareOn(lane: Lane, release: string, root: string, job: Job): Promise<Compared> {
  const before = await lane.run(job, signal);
  let isRepaired = false;
  const after = await lane.run(job, signal, async (sessionId) => {
    isRepaired = await repairIn(lane.stateDirectory, sessionId, root);
  });
  let isSpecified = false;
  const specified = keepsFiles(release)
    ? await lane.run(job, signal, async (sessionId) => {
        isSpecified = repairAsSpecified(lane.stateDirectory, sessionId);
      })
    : undefined;
  const one = compare(release, before, {
    ...(isRepaired ? { repaired: after } : {}),
    ...(specified === undefined ? {} : { specified: isSpecified ? specified : before }),
  });
  console.error(
    `${release} ${job.id} on ${job.api}: ${one.before} -> ${one.after}${one.why === undefined ? "" : `: ${one.why}`}`,
  );
  return one;
}

for (const release of values.release) printTable(outcomeTable(compared.filter((one) => one.release === release)));
if (values.write) writeFileSync(RESULTS, markdown(compared, command));
if (compared.some(({ isWorse }) => isWorse)) process.exitCode = 1;
