/** What proves a change, by the folder that it is in: CONTRIBUTING.md says how to run it. */

/** What is run for a change. */
export interface Checks {
  /** Beginnings of the paths that it is run for. */
  readonly of: readonly string[];
  /** Filters of vitest. */
  readonly tests: readonly string[];
  /** Scripts of package.json with their arguments, behind the tests. */
  readonly scripts?: readonly string[];
}

const FORMATS = ["src/lists", "harness/corpus", "harness/recorded", "harness/rules", "harness/adapters"];

export const CHECKS: readonly Checks[] = [
  {
    of: ["src/transcript/", "src/wire/"],
    tests: ["src/transcript", "src/wire", ...FORMATS],
    scripts: ["trial fuzz -- --runs 2000"],
  },
  {
    of: ["src/fetch/", "src/adapters/"],
    tests: ["test/fetch", "test/adapters", "test/examples"],
    scripts: ["trial frameworks"],
  },
  { of: ["src/lists/"], tests: ["src/lists", "test/examples", "test/integrity/official-clients.test.ts"] },
  {
    of: ["src/recovery/", "src/guard/"],
    tests: [
      "src/recovery",
      "src/guard",
      "test/recovery",
      "test/integrity",
      "scripts/start",
      "scripts/fuzz",
      "scripts/chaos",
    ],
    scripts: ["trial never-worse -- --group reports --group random --random 50"],
  },
  {
    of: ["src/patching/", "patches/", "releases/"],
    tests: ["src/patching", "test/patching"],
    scripts: ["generate -- --check", "matrix -- --no-real"],
  },
  { of: ["src/register/"], tests: ["src/register", "test/register"] },
  {
    of: ["src/journal/", "src/store/", "src/health/"],
    tests: ["src/journal", "src/store", "src/health", "test/journal", "test/store", "test/health", "test/cli"],
  },
  { of: ["src/integrity/"], tests: ["src/integrity", "test/integrity", "test/store", "scripts/library-sessions"] },
  {
    of: ["src/continuity", "src/mcp/"],
    tests: ["src/continuity", "src/mcp", "test/continuity", "test/mcp", "scripts/continuity-chaos"],
  },
  {
    of: ["src/timetravel/", "src/workspace/"],
    tests: ["src/timetravel", "src/workspace", "test/timetravel", "test/workspace", "scripts/travel-chaos"],
    scripts: ["trial files-chaos"],
  },
  { of: ["src/cli/", "src/doctor/"], tests: ["src/cli", "src/doctor", "test/cli", "test/doctor"] },
  { of: ["src/conformance/"], tests: ["src/conformance", "src/lists", "test/conformance", "test/cli", "test/fetch"] },
  { of: ["src/plugin/"], tests: ["src/plugin", "test/plugin", "test/keep-patched"] },
  { of: ["src/prove/"], tests: ["src/prove", "test/prove"] },
  { of: ["src/observe/"], tests: ["src/observe", "test/observe"] },
  { of: ["src/privacy/"], tests: ["src/privacy", "test/privacy"] },
  { of: ["src/base/"], tests: ["src/", "test/"] },
  {
    of: ["harness/rules/", "harness/providers/", "src/providers/"],
    tests: ["harness", "src/providers", "src/wire", "src/recovery"],
  },
];

/** The checks of the files: the tests beside a file and of its room, and what every change has. */
export function listChecks(files: readonly string[]): {
  readonly tests: readonly string[];
  readonly scripts: readonly string[];
} {
  const concerned = CHECKS.filter(({ of }) => files.some((file) => of.some((start) => file.startsWith(start))));
  const own = files.filter((file) => /^(?:harness|scripts|test)\//.test(file)).map(partFolder);
  const tests = [...concerned.flatMap((one) => one.tests), ...own, "test/layout", "test/examples"];
  const scripts = concerned.flatMap((one) => one.scripts ?? []);
  const wanted = [...new Set(tests)].filter(
    (one, _at, all) => !all.some((other) => other !== one && one.startsWith(other)),
  );
  return { tests: wanted, scripts: [...new Set(scripts)] };
}

/** The part of the tree that a file of the harness, a script or a test belongs to. */
function partFolder(file: string): string {
  return file.endsWith(".test.ts") ? file : file.split("/").slice(0, 2).join("/");
}
