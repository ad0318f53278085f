/** New releases, each taken to a branch for review. Nothing is pushed. */
import { execFile } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describeError } from "../../../src/base/coded-error.ts";
import { complain, say } from "../../../src/base/terminal.ts";
import { patchError } from "../../../src/patching/base/errors.ts";
import { knownReleases } from "../../../src/patching/base/releases.ts";
import { withLock } from "../../../src/patching/write/lock.ts";
import { compareReleases } from "../../matrix/order.ts";
import { knownBefore } from "../explained.ts";
import { forget, foundAgain } from "./as-if-new.ts";
import { assertReady, branchName, closeClone, commitPort, git, openClone, takeBranch, waiting } from "./clone.ts";
import { totalSeconds, type PortOutcome } from "./outcome.ts";
import { newReleases, publishedVersions } from "./registry.ts";

/** What the exit code tells. */
export const EXIT = { nothingNew: 0, refused: 1, ported: 3, needsHand: 4 } as const;

/** The outcome of a release, and whether its records are those that were there (as if new only). */
export interface Watched {
  readonly outcome: PortOutcome;
  readonly isFoundAgain?: boolean;
}

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
/** A release that takes longer hangs somewhere. */
const TIMEOUT_MS = 45 * 60_000;

/**
 * Ports each stable release that the registry has and the records do not, oldest first, unless its branch waits for
 * review. Each gets the branch `port/<release>`; a later one of the same run starts from the branch before it. Returns
 * the exit code. Throws PatchError when nothing could be begun.
 */
export async function watch(): Promise<number> {
  assertReady(REPOSITORY);
  const known = knownReleases().map(({ release }) => release);
  const found = newReleases(await publishedVersions(REPOSITORY), known);
  const waits = waiting(REPOSITORY, found);
  for (const release of waits) say([`${release}: ${branchName(release)} waits for its review`]);
  const todo = found.filter((release) => !waits.includes(release));
  if (todo.length === 0) {
    say(["no other stable release is new"]);
    return EXIT.nothingNew;
  }
  let start = git(REPOSITORY, "rev-parse", "HEAD");
  const verdicts: PortOutcome["verdict"][] = [];
  for (const release of todo) {
    const { outcome } = await withClone(start, async (folder) => {
      const ported = await portIn(folder, release);
      if (ported.verdict !== "refused") {
        const commit = commitPort(folder, commitSubject(ported), commitBody(ported));
        takeBranch(REPOSITORY, folder, release);
        if (ported.verdict === "ported") start = commit;
      }
      return { outcome: ported };
    });
    tell(outcome);
    verdicts.push(outcome.verdict);
  }
  if (verdicts.includes("refused")) return EXIT.refused;
  return verdicts.includes("needs-a-hand") ? EXIT.needsHand : EXIT.ported;
}

/**
 * Ports known releases as if they were new, the newest first, and keeps nothing. `onResult` gets all results so far,
 * oldest first, after each of them. Throws PatchError.
 */
export async function watchAsIfNew(
  releases: readonly string[],
  onResult: (results: readonly Watched[]) => void,
): Promise<readonly Watched[]> {
  assertReady(REPOSITORY);
  const start = git(REPOSITORY, "rev-parse", "HEAD");
  const results: Watched[] = [];
  for (const release of releases.toSorted(compareReleases).toReversed()) {
    const former = knownBefore(release);
    if (former === undefined || !knownReleases().some((one) => one.release === release))
      throw patchError("install-failed", {
        expected: "a release of releases/releases.json that has one before it",
        found: release,
        todo: "Run npm run port -- --watch for releases that are new.",
      });
    const result = await withClone(start, async (folder): Promise<Watched> => {
      forget(folder, release, former.release);
      const outcome = await portIn(folder, release);
      if (outcome.verdict === "refused") return { outcome };
      commitPort(folder, commitSubject(outcome), commitBody(outcome));
      return { outcome, isFoundAgain: foundAgain(folder, start) };
    });
    tell(result.outcome);
    results.unshift(result);
    onResult(results);
  }
  return results;
}

async function withClone(start: string, work: (folder: string) => Promise<Watched>): Promise<Watched> {
  return withLock(join(REPOSITORY, ".cache", "port.lock"), async () => {
    const folder = openClone(REPOSITORY, start);
    try {
      return await work(folder);
    } finally {
      closeClone(folder);
    }
  });
}

async function portIn(folder: string, release: string): Promise<PortOutcome> {
  const file = join(folder, ".cache", "outcome.json");
  const script = join(folder, "scripts", "port", "watch", "candidate.ts");
  try {
    const running = promisify(execFile)(process.execPath, [script, release, file], {
      cwd: folder,
      timeout: TIMEOUT_MS,
      maxBuffer: 64 << 20,
    });
    running.child.stderr?.on("data", (text: string) => complain(text.trimEnd().split("\n").join(" / ")));
    await running;
    return JSON.parse(readFileSync(file, "utf8")) as PortOutcome;
  } catch (error) {
    throw patchError("outcome-invalid", {
      expected: `the port of ${release} to come to an end`,
      found: describeError(error).slice(-2000),
      todo: "Nothing was kept. Run npm run port -- <release> to see where it fails.",
      cause: error,
    });
  } finally {
    rmSync(file, { force: true });
  }
}

function commitSubject({ release, verdict }: PortOutcome): string {
  return verdict === "ported"
    ? `Support OpenClaw ${release}: every patch point fits, proven on a real installation`
    : `Report what does not fit in OpenClaw ${release}; nothing is recorded`;
}

function commitBody(outcome: PortOutcome): string {
  return `Made by npm run port -- --watch in ${totalSeconds(outcome)} s. To review: results/port/${outcome.release}.md.`;
}

function tell(outcome: PortOutcome): void {
  const { release, verdict, reasons } = outcome;
  say([
    `${release}: ${verdict.replaceAll("-", " ")}, ${totalSeconds(outcome)} s`,
    ...reasons.map((reason) => `  ${reason}`),
  ]);
}
