import { work } from "../crew.ts";
import { markdownTable } from "../table.ts";
import { makeStores } from "./stores.ts";
import type { Counts, HostileDone, HostileJob } from "./hostile.ts";
import { describeMaking } from "../../measured/making.ts";

/** How much of it, and how. */
export interface HostileOptions {
  readonly count: number;
  readonly seed: number;
  readonly workers: number;
  /** For the report. */
  readonly command: string;
}

const JOB_RUNS = 500;
const COMMAND_EVERY = 250;
const number = new Intl.NumberFormat("en-US");

const FAMILIES: Readonly<Record<string, string>> = {
  bytes: "bytes without a form",
  "changed corpus": "transcripts of the corpus with values replaced, removed, cut off, moved and said again",
  "forged marks": "transcripts with forged marks of this project, and its own words in other mouths",
  deep: "transcripts with a value that nests 150 to 20,000 levels deep",
  huge: "transcripts with a text of 16,000 to 1,000,000 characters",
  "changed pages":
    "a journal, a store of recorded work, or OpenClaw 2026.9.6's database of an agent, with bytes and pages changed",
  commands: "of all these, also read by a command as a process of its own",
};

/** Runs the whole group by worker processes; stops at the first input that is not taken well. */
export async function runHostileGroup({
  count,
  seed,
  workers,
  command,
}: HostileOptions): Promise<{ readonly report: string; readonly failures: readonly string[] }> {
  const began = performance.now();
  const { close, ...stores } = await makeStores();
  const jobs: HostileJob[] = [];
  for (let done = 0; done < count; done += JOB_RUNS)
    jobs.push({ seed: (seed + jobs.length) | 0, runs: Math.min(JOB_RUNS, count - done), commandEvery: COMMAND_EVERY });
  const counts: Counts = {};
  const failures: string[] = [];
  let finished = 0;
  try {
    await work<HostileJob, HostileDone>(
      { file: new URL("worker.ts", import.meta.url), data: stores },
      jobs,
      workers,
      ({ counts: more, failure }) => {
        for (const [name, times] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + times;
        if (failure !== undefined) failures.push(failure);
        finished++;
        if (finished % 10 === 0 || finished === jobs.length)
          process.stderr.write(
            `${finished} of ${jobs.length} jobs, ${Math.round((performance.now() - began) / 1000)} s\n`,
          );
        return failures.length === 0;
      },
    );
  } finally {
    close();
  }
  return { report: formatReport(counts, { seed, command, seconds: (performance.now() - began) / 1000 }), failures };
}

function formatReport(
  counts: Counts,
  { seed, command, seconds }: { readonly seed: number; readonly command: string; readonly seconds: number },
): string {
  const rows = Object.entries(FAMILIES).map(([name, what]) => [what, number.format(counts[name] ?? 0)]);
  const all = Object.entries(counts).reduce((sum, [name, times]) => (name === "commands" ? sum : sum + times), 0);
  return `# Hostile inputs

${describeMaking(command, `seed ${seed}`, `${Math.round(seconds / 60)} min`)}

${number.format(all)} inputs, each through the load and history gates, the repairs, the examination and the time travel, and by turns a fifth of all other functions that take
data of others; damaged stores through their readers, the scan and the report. Of none of them: an error that is not documented, more than a second for each
megabyte, a text lost that a user wrote, or that a tool gave to a call that stands before it, or a command that ends with another exit code than it should.

${markdownTable([["inputs", "how many"], ...rows])}
`;
}
