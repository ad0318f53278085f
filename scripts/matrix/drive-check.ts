/**
 * `node scripts/matrix/drive-check.ts [--sample] [--json FILE] [release…]`: whether each release can be driven for
 * real, a line per release. Those that are named are installed first; without a name, all that are installed.
 * `--sample` runs some twenty corpus cases of all classes as well. Exit code 1 when something does not hold.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { knownRelease } from "../../src/patching/base/releases.ts";
import { installedReleases } from "../../harness/openclaw/releases.ts";
import type { Verdict } from "../start/judge.ts";
import { openScratch } from "../../harness/scratch.ts";
import { drive, type DriveReport } from "./drive/drive.ts";
import { describeDrive, describeSample } from "./drive/lines.ts";
import { ORPHAN, runSample, sampleJobs, tally } from "./drive/sample.ts";
import { installRelease } from "./install.ts";

interface Row {
  report: DriveReport;
  sample: { id: string; verdict: Verdict }[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: "boolean", default: false }, json: { type: "string" } },
});
const releases = positionals.length > 0 ? positionals : installedReleases().map(({ release }) => release);
const jobs = sampleJobs(values.sample);
const scratch = openScratch();
const rows: Row[] = [];

for (const release of releases) {
  try {
    const { stock } = await installRelease(release, {
      integrity: knownRelease(release)?.integrity,
      say: (line) => console.error(line),
    });
    const root = join(stock, "..", "..");
    const report = await drive(release, root);
    const records = await runSample(release, root, jobs);
    const orphan = records.find(({ job }) => job.id === ORPHAN);
    console.log(describeDrive(report, orphan));
    if (values.sample) console.log(describeSample(tally(records)));
    if (Object.values(report.findings).some(Boolean)) process.exitCode = 1;
    rows.push({ report, sample: records.map(({ job: { id }, verdict }) => ({ id, verdict })) });
  } catch (error) {
    console.log(
      `${release}  cannot be driven: ${error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : String(error)}`,
    );
    process.exitCode = 1;
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 1)}\n`);
}
scratch.remove();
