/**
 * Turns of OpenClaw with the journal on a disk that has no room or cannot be written: `turn-on-small-disk.ts <mount
 * point> <what> <release>`.
 */
import { execFileSync } from "node:child_process";
import { statfsSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { troubledTurns, type Trouble } from "./turn.ts";

const [disk = "", what = "", release = ""] = process.argv.slice(2);
const target = join(disk, "journal.sqlite");

function fill(): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, "ballast"), Buffer.alloc(bavail * bsize));
}

const TROUBLES: Record<string, Trouble> = {
  full: { target, before: fill },
  "full meanwhile": { target, between: fill },
  "read-only": { target, before: () => void execFileSync("mount", ["-o", "remount,bind,ro", disk]) },
};
writeSync(1, JSON.stringify(await troubledTurns(release, TROUBLES[what] ?? {})));
