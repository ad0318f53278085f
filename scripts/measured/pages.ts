/** What each page of results/ measures, so that a page can be told older than it. */

const GUARD = ["src/transcript", "src/wire", "src/recovery", "src/guard", "src/patching"];
const LIBRARY = ["src/transcript", "src/wire", "src/lists", "src/recovery", "src/fetch", "src/journal"];
const TRAVEL = ["src/timetravel", "src/workspace", "src/plugin"];
const KERNEL = ["src/continuity"];

/** The folders of the code that a page measures. */
export const MEASURED: Readonly<Record<string, readonly string[]>> = {
  "bench-apply.md": ["src/patching"],
  "bench-continuity.md": KERNEL,
  "bench-files.md": ["src/workspace"],
  "bench-journal.md": ["src/journal", "src/integrity"],
  "bench-openclaw.md": GUARD,
  "bench-peers.md": ["src/transcript", "src/wire"],
  "bench-register.md": ["src/register", "src/patching"],
  "bench-scan.md": ["src/store", "src/health"],
  "bench-travel.md": TRAVEL,
  "bench.md": GUARD,
  "chaos.md": GUARD,
  "continuity-chaos.md": KERNEL,
  "control-group.md": GUARD,
  "corpus.md": GUARD,
  "disk-repair.md": ["src/transcript", "src/store"],
  "files-chaos.md": TRAVEL,
  "fork.md": ["src/guard", "src/patching"],
  "frameworks-kills.md": [...LIBRARY, "src/adapters"],
  "frameworks.md": [...LIBRARY, "src/adapters"],
  "fuzz-hostile.md": [...GUARD, "src/store", "src/doctor", "src/timetravel"],
  "fuzz.md": ["src/transcript", "src/wire"],
  "growth.md": [...GUARD, "src/store"],
  "library-sessions.md": ["src/transcript", "src/wire", "src/journal", "src/integrity"],
  "limits.md": GUARD,
  "matrix.md": GUARD,
  "never-worse.md": GUARD,
  "port-watch.md": ["src/patching"],
  "random-providers.md": [...GUARD, "src/fetch"],
  "recovery.md": GUARD,
  "register.md": ["src/register", "src/patching"],
  "runtimes.md": [...LIBRARY, "src/adapters"],
  "scale.md": [...LIBRARY, "src/health", "src/store", "src/continuity"],
  "size.md": GUARD,
  "soak.md": GUARD,
  "step-chaos.md": GUARD,
  "travel-chaos.md": TRAVEL,
  "update.md": ["src/patching", "src/plugin", "src/cli"],
  "upstream-tests.md": ["src/guard", "src/patching", "upstream"],
};

/** Lists the commits at which the figures of a page were measured, as its lines say them. */
export function listCommits(page: string): readonly string[] {
  return [...page.matchAll(/\bat ([0-9a-f]{7,8})(?: changed)?\b/g)].map(([, commit]) => commit!);
}
