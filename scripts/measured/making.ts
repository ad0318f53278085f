/** How a page of results/ was made: what its first line says, and what an older page is told by. */
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Runs git in this tree and returns what it prints; throws where there is none. */
export function git(...words: readonly string[]): string {
  return execFileSync("git", words, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

/**
 * Returns what a page says of its making: the day, the command, what `more` adds (a seed, a time), the commit, Node and
 * the machine. `changed` stands behind a commit whose files were others than the committed ones, but for results/.
 */
export function describeMaking(command: string, ...more: readonly string[]): string {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() || "unknown CPU"}`;
  return [day, `\`${command}\``, ...more, `at ${readCommit()}`, `Node ${process.version}`, `${machine}.`].join(", ");
}

function readCommit(): string {
  try {
    const changed = git("status", "--porcelain", "--", ".", ":!results") === "" ? "" : " changed";
    return git("rev-parse", "--short=8", "HEAD") + changed;
  } catch {
    return "no commit";
  }
}
