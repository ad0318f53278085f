/** The command line of `npm run upstream tests`. */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { parseShard, SUITES, type Shard } from "./files.ts";

/** What is to be run. */
export interface TestsOptions {
  readonly sources: readonly string[];
  readonly globs: readonly string[];
  readonly shard: Shard;
  readonly workers: number;
  readonly fresh: boolean;
  readonly write: boolean;
}

export const HELP = `npm run upstream tests -- --source <folder | archive | tag> [...]

Runs OpenClaw's own tests on its own sources, as they are and with the patch (apply --source), and compares test by test.

  --source <source>  a checkout, an archive of one, or a tag of openclaw/openclaw; repeat it for several
  --only <glob>      other test files than those around agents, sessions, transcripts, compaction and chat; repeatable
  --shard <n/m>      every m-th file, beginning with the n-th
  --workers <n>      test files at a time (default: the number of cores)
  --fresh            runs again what an earlier call has run
  --write            writes what was run into results/upstream-tests.md; what it has of other trees stays

A call that was interrupted goes on where it was. Exit code 1: a test has another result with the patch, or no test
was run.
`;

/** Reads the command line; a text says what is wrong with it. */
export function parseTestsArguments(argv: readonly string[]): TestsOptions | string {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      source: { type: "string", multiple: true, default: [] },
      only: { type: "string", multiple: true, default: [...SUITES] },
      shard: { type: "string", default: "1/1" },
      workers: { type: "string", default: String(availableParallelism()) },
      fresh: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const shard = parseShard(values.shard);
  const workers = Number(values.workers);
  if (values.help) return HELP;
  if (values.source.length === 0) return `expected --source; found none.\n\n${HELP}`;
  if (shard === undefined) return `expected --shard with a part such as 1/4; found ${values.shard}.`;
  if (!(Number.isInteger(workers) && workers > 0)) return `expected --workers with a number; found ${values.workers}.`;
  return { sources: values.source, globs: values.only, shard, workers, fresh: values.fresh, write: values.write };
}
