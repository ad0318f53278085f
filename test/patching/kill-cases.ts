/** kill -9 in the middle of apply and revert, in a process of its own. */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { apply, revert, status } from "../../src/patching/apply.ts";
import { isWaiting } from "../../src/patching/base/guard-file.ts";
import { isMarked } from "../../src/patching/base/marks.ts";
import { hashTree, project, STUB_GUARD } from "./fixture.ts";

export const stub = { guard: STUB_GUARD };
// Built: a process of each step has to load it.
export const SOURCE = pathToFileURL(join(import.meta.dirname, "../../dist/patching.mjs")).href;

/** Runs apply or revert in a process that kills itself at a step; returns whether it got that far. */
export function killedAt(step: number, root: string, command: "apply" | "revert", options: object = stub): boolean {
  const given = command === "apply" ? JSON.stringify(options) : "{}";
  const script = `import { ${command} } from ${JSON.stringify(SOURCE)};
let step = 0;
${command}(${JSON.stringify(root)}, { ...${given}, onStep: () => { if (step++ === ${step}) process.kill(process.pid, "SIGKILL"); } });`;
  const {
    signal,
    status: code,
    stderr,
  } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  if (signal !== "SIGKILL" && code !== 0) throw new Error(stderr);
  return signal === "SIGKILL";
}

/** What OpenClaw does in this state: the old thing, the new thing, or what must not be. */
function behaviour(root: string, files: readonly string[]): "old" | "new" | "broken" {
  const marked = files.filter((file) => isMarked(readFileSync(join(root, file), "utf8"))).length;
  const place = join(root, "dist/openclaw-integrity.mjs");
  if (!existsSync(place)) return marked === 0 ? "old" : "broken";
  if (isWaiting(readFileSync(place, "utf8"))) return "old";
  if (marked === files.length) return "new";
  return marked === 0 ? "old" : "broken";
}

/** At each of so many steps, of the published OpenClaw or of one that somebody has changed. */
export function killsAtSteps(
  command: "apply" | "revert",
  what: "the published OpenClaw" | "a fork",
  every: number,
): void {
  describe(`kill -9 in the middle of ${command} of ${what}`, () => {
    test("leaves an OpenClaw that does the old thing or the new one, and either command finishes the work", async () => {
      const { root, files } = await project("2026.9.6");
      const options = { guard: STUB_GUARD, fork: what === "a fork" };
      // OpenClaw's list of contents is not made anew, as by a change by hand.
      if (options.fork) appendFileSync(join(root, files[0]!), "// changed by acme\n");
      const stock = hashTree(root);
      apply(root, options);
      const patched = hashTree(root);
      const seen: string[] = [];
      for (let step = 0; ; step += every) {
        if (command === "apply") revert(root);
        else apply(root, options);
        if (!killedAt(step, root, command, options)) break;
        seen.push(behaviour(root, files));
        expect(status(root, options).state).toBe("half-patched");
        // Every second time the other command takes over from there.
        if (step % 2 === 0) expect([apply(root, options).action, hashTree(root)]).toEqual(["completed", patched]);
        else expect([revert(root).length > 0, hashTree(root)]).toEqual([true, stock]);
      }
      expect(seen).not.toContain("broken");
      // Staging, each file, OpenClaw's two lists of its files, and the guard twice.
      expect(seen).toHaveLength(Math.ceil((files.length + 2 + 4) / every));
      expect(hashTree(root)).toEqual(command === "apply" ? patched : stock);
    });
  });
}
