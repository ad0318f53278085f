/**
 * A repair on a disk that is full, or cannot be written any more: `repair-on-small-disk.ts <mount point>
 * full|read-only`, run by runOnSmallDisk.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isSound, repairStored, scan, ScanMemory } from "../../src/health/index.ts";
import { openCatalog, StoreError } from "../../src/store/index.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";

const [disk = "", what = ""] = process.argv.slice(2);
const folder = join(disk, "agents", "main", "sessions");
mkdirSync(folder, { recursive: true });
const file = join(folder, "sick.jsonl");
const transcript = toTranscript([user("x".repeat(200_000)), says("an answer"), result("toolu_lost", "of nothing")]);
writeFileSync(file, transcript);
if (what === "full") {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, "ballast"), Buffer.alloc(bavail * bsize - 8 * bsize));
} else execFileSync("mount", ["-o", "remount,ro", disk]);

const catalog = openCatalog(disk);
const memory = new ScanMemory(disk);
const report = await scan(catalog, { memory });
const failures = [];
for (const work of [
  () => repairStored(catalog, report.sessions[0]!.session, { stateDirectory: disk, root: () => "" }),
  async () => memory.save(),
]) {
  try {
    await work();
  } catch (error) {
    failures.push({
      code: error instanceof StoreError ? error.code : String(error),
      message: (error as Error).message,
    });
  }
}
console.log(
  JSON.stringify({
    corrupt: report.sessions.filter(({ examination }) => examination && !isSound(examination)).length,
    failures,
    isSame: readFileSync(file, "utf8") === transcript,
    left: readdirSync(folder),
  }),
);
