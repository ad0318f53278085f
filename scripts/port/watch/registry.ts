/** Which stable releases the npm registry has that the records do not. Nothing in its answer is trusted. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describeError } from "../../../src/base/coded-error.ts";
import { visible } from "../../../src/base/visible.ts";
import { patchError } from "../../../src/patching/base/errors.ts";
import { findNpmCli } from "../../../harness/npm.ts";
import { compareReleases, isStable } from "../../matrix/order.ts";

/** More unknown releases than this are not a week's work of OpenClaw but a broken answer, or a record that is gone. */
export const MOST_NEW = 20;
const MOST_VERSIONS = 20_000;
const MOST_BYTES = 16 << 20;
const TIMEOUT_MS = 120_000;
/** Names of betas, dev builds and the like: a version by semver, of a length that fits in a line. */
const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}(-[\dA-Za-z.-]{1,64})?(\+[\dA-Za-z.-]{1,64})?$/;

/** Asks the registry that npm is set up for. Throws `install-failed` for an answer that is no list of versions. */
export async function publishedVersions(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<unknown> {
  const args = ["view", "openclaw", "versions", "--json", "--loglevel=error"];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [findNpmCli(), ...args], {
      cwd: folder,
      env,
      maxBuffer: MOST_BYTES,
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    const value = JSON.parse(stdout) as unknown;
    // npm prints the only version of a package without a list around it.
    return typeof value === "string" ? [value] : value;
  } catch (error) {
    throw patchError("install-failed", {
      expected: `npm ${args.join(" ")} to print the versions of openclaw`,
      found: visible(describeError(error).slice(0, 1000)),
      todo: "Nothing was done. Check the network and the registry that npm asks, then run it again.",
      cause: error,
    });
  }
}

/**
 * The stable versions in the registry's answer that are not among the known releases, oldest first. Versions before the
 * first known release are not supported and are left out, prereleases too. Throws `install-failed` when the answer is
 * not a list of versions, or names more than {@link MOST_NEW} new ones.
 */
export function newReleases(answer: unknown, known: readonly string[]): readonly string[] {
  if (!Array.isArray(answer)) throw refused(`a value that is no list (${nameType(answer)})`);
  if (answer.length > MOST_VERSIONS) throw refused(`${answer.length} entries`);
  const versions = answer.map((one: unknown) => {
    if (typeof one === "string" && VERSION.test(one)) return one;
    throw refused(`an entry that is no version: ${visible(String(JSON.stringify(one)).slice(0, 80))}`);
  });
  const first = known.toSorted(compareReleases)[0];
  const found = [...new Set(versions)].filter(
    (version) =>
      isStable(version) && !known.includes(version) && (first === undefined || compareReleases(version, first) > 0),
  );
  if (found.length > MOST_NEW) throw refused(`${found.length} stable ones that releases/releases.json does not have`);
  return found.toSorted(compareReleases);
}

function nameType(value: unknown): string {
  return value === null ? "null" : typeof value;
}

function refused(found: string): Error {
  return patchError("install-failed", {
    expected: `the registry to list the versions of openclaw, at most ${MOST_NEW} of them new`,
    found,
    todo: "Nothing was done. Look at `npm view openclaw versions`; single releases can be ported with npm run port -- <release>.",
  });
}
