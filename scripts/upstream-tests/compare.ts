/** The results of OpenClaw's own tests before and after the patch, test by test. */

/** A line of the reporter: a test file that ended. */
export interface FileResult {
  readonly file: string;
  /** `passed`, `failed` or `skipped`, of the file as a whole. */
  readonly state: string;
  readonly tests: readonly { readonly name: string; readonly state: string; readonly why?: string }[];
  /** Why the file itself failed, as when it cannot be imported. */
  readonly why?: string;
}

/** A test whose result is another one with the patch. */
export interface Difference {
  readonly file: string;
  readonly test: string;
  readonly before: string;
  readonly after: string;
  readonly why: string;
}

/** Both runs side by side. */
export interface Comparison {
  readonly files: number;
  readonly tests: number;
  /** Passed before and after. */
  readonly passed: number;
  /** Skipped before and after. */
  readonly skipped: number;
  /** Failed before and after, with the reason. */
  readonly failed: readonly { readonly file: string; readonly test: string; readonly why: string }[];
  readonly differences: readonly Difference[];
}

/** What a file is called among its tests. */
const FILE = "(the file)";
const MISSING = "not run";

/** Compares two runs. A test that only one of them has is a difference; a file that ran more than once counts as it last did. */
export function compareRuns(before: readonly FileResult[], after: readonly FileResult[]): Comparison {
  const [old, now] = [collectResults(before), collectResults(after)];
  const failed: { file: string; test: string; why: string }[] = [];
  const differences: Difference[] = [];
  const counts = { passed: 0, skipped: 0, tests: 0 };
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const [left, right] = [old.get(key), now.get(key)];
    const { file, test } = (left ?? right)!;
    if (test !== FILE) counts.tests += 1;
    const [one, other] = [left?.state ?? MISSING, right?.state ?? MISSING];
    const why = right?.why ?? left?.why ?? "";
    if (one !== other) differences.push({ file, test, before: one, after: other, why });
    else if (one === "failed") failed.push({ file, test, why });
    else if (test !== FILE) counts[one === "passed" ? "passed" : "skipped"] += 1;
  }
  return { files: new Set([...old.values()].map(({ file }) => file)).size, ...counts, failed, differences };
}

interface One {
  readonly file: string;
  readonly test: string;
  readonly state: string;
  readonly why?: string | undefined;
}

function collectResults(lines: readonly FileResult[]): ReadonlyMap<string, One> {
  const found = new Map<string, One>();
  const last = new Map(lines.map((line) => [line.file, line]));
  for (const { file, state, tests, why } of last.values()) {
    const times = new Map<string, number>();
    for (const { name, state: one, why: reason } of tests) {
      // Two tests may have one name.
      const nth = (times.get(name) ?? 0) + 1;
      times.set(name, nth);
      const test = nth === 1 ? name : `${name} (${nth})`;
      found.set(`${file}\n${test}`, { file, test, state: one, why: reason });
    }
    // A failed test makes its file fail too; that is no second failure.
    const isOwn = state === "failed" && !tests.some((test) => test.state === "failed");
    found.set(`${file}\n${FILE}`, { file, test: FILE, state: isOwn ? "failed" : "ran", why });
  }
  return found;
}
