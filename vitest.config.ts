import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { calibrate, patience } from "./harness/patience.ts";

// Before any worker starts, so that all of them have the same limits.
calibrate();

// Their tests change nothing of their process that another file could see, so they need none of their own: that saves
// its start and the import of what all of them import.
const SHARED = [
  ...["cli", "continuity", "continuity-tools", "doctor", "health", "integrity", "lists", "patching", "providers"].map(
    (room) => `src/${room}`,
  ),
  ...["recovery", "store", "timetravel", "transcript", "wire"].map((room) => `src/${room}`),
  "test/integrity",
  ...["corpus", "providers"].map((room) => `harness/${room}`),
  ...["chaos", "distribution", "matrix", "recovery", "soak", "start", "upstream"].map((room) => `scripts/${room}`),
].map((folder) => `${folder}/**/!(*.slow|*.heavy).test.ts`);
// They look at every process of the machine, and run when no other file does.
const ALONE = ["test/prove/neighbour*.test.ts"];
const ALL = ["src", "test", "harness", "scripts"].map((folder) => `${folder}/**/*.test.ts`);

/** Slow tests of half a minute and more. */
const LONG = [
  ...["chaos", "never-worse", "size", "soak"].map((trial) => `scripts/${trial}/sample`),
  ...["messages", "refusals", "waiting"].map((part) => `test/recovery/${part}`),
  ...["files", "moves", "rows"].map((part) => `test/timetravel/${part}`),
  ...["cli/rehearse", "cli/setup", "health/refused-record", "plugin/gateway", "prove/prove"].map(
    (part) => `test/${part}`,
  ),
  "harness/gateway/words",
  "scripts/start/corpus",
].map((file) => `/${file}.slow.test.ts`);

const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((file) => moduleId.endsWith(file));

/** Begins with the long ones: as small files they would come last in a fresh clone, when other workers are done. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is vitest's own
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/setup.ts"],
    testTimeout: patience(180_000),
    hookTimeout: patience(300_000),
    expect: { poll: { timeout: patience(1000) } },
    // Two cores: more workers would only make the real OpenClaw runs fight each other.
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    projects: [
      { extends: true, test: { name: "shared", include: SHARED, isolate: false } },
      // By include alone: with an exclude of its own a project does not heed `--exclude` of the command line.
      { extends: true, test: { name: "own", include: [...ALL, ...[...SHARED, ...ALONE].map((glob) => `!${glob}`)] } },
      { extends: true, test: { name: "alone", include: ALONE, sequence: { groupOrder: 1 } } },
    ],
  },
});
