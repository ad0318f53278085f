/**
 * `npm run matrix [-- --sample] [--no-real] [--fresh] [--write] [--way register] [release…]`: every stable release through the patch
 * engine, and one for each bundle layout through the real thing, unpatched and patched. Goes on where it was stopped.
 * Exit code 1 when something does not hold.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { knownRelease, knownReleases } from "../../src/patching/base/releases.ts";
import { type ReleaseCheck, checkRelease } from "./check.ts";
import { LAYOUTS } from "./layouts.ts";
import { checkLine, realLine } from "./lines.ts";
import { type Extent, type RealRun, runReal } from "./real.ts";
import { type Row, formatReport } from "./report.ts";
import { Store } from "./store.ts";
import { WAYS, type Way } from "../start/arguments.ts";
import { openScratch } from "../../harness/scratch.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    sample: { type: "boolean", default: false },
    real: { type: "boolean", default: true },
    fresh: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    way: { type: "string", default: "apply" },
  },
});
const command = ["npm run matrix", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" ");
const way = parseWay(values.way);
const extent: Extent = values.sample ? "sample" : "corpus";
const releases = positionals.length > 0 ? positionals : knownReleases().map(({ release }) => release);
const isRun = (release: string): boolean =>
  values.real && (positionals.length > 0 || LAYOUTS.some((one) => one.release === release));
const scratch = openScratch();
const stores = {
  engine: new Store("engine", "engine"),
  real: new Store("real", way === "apply" ? extent : `${extent}-${way}`),
};
const controller = new AbortController();
process.once("SIGINT", () => controller.abort(new Error("stopped; run it again to continue")));

async function kept<Result>(store: Store, release: string, work: () => Promise<Result>): Promise<Result> {
  const known = values.fresh ? undefined : store.get<Result>(release);
  if (known !== undefined) return known;
  const result = await work();
  store.put(release, result);
  return result;
}

function parseWay(name: string): Way {
  const found = WAYS.find((one) => one === name);
  if (found === undefined) throw new Error(`expected --way ${WAYS.join(" or ")}; found ${name}`);
  return found;
}

function say(line: string): void {
  console.error(`  ${line}`);
}

function onRun(done: number, total: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r  ${done} of ${total} runs `);
}

async function makeRow(release: string, place: string): Promise<Row> {
  const check = await kept<ReleaseCheck>(stores.engine, release, () =>
    checkRelease(release, join(tmpdir(), "matrix"), say),
  );
  console.log(`${place} ${checkLine(check)}`);
  if (!isRun(release) || check.outcome === "refused") return { check };
  const options = {
    way,
    integrity: knownRelease(release)?.integrity,
    env: scratch.env,
    signal: controller.signal,
    say,
    onRun,
  };
  const real = await kept<RealRun>(stores.real, release, () => runReal(release, extent, options));
  console.log(`${" ".repeat(place.length)} ${realLine(real)}`);
  return { check, real };
}

const rows: Row[] = [];
try {
  for (const [at, release] of releases.entries()) {
    controller.signal.throwIfAborted();
    rows.push(
      await makeRow(release, `[${String(at + 1).padStart(String(releases.length).length)}/${releases.length}]`),
    );
  }
  const bad = rows.filter(({ check, real }) => check.faults.length > 0 || (real?.faults.length ?? 0) > 0);
  for (const { check, real } of bad)
    for (const fault of [...check.faults, ...(real?.faults ?? [])]) console.log(`${check.release}: ${fault}`);
  console.log(`${rows.length - bad.length} of ${rows.length} releases as they have to be`);
  if (bad.length > 0) process.exitCode = 1;
  if (values.write) {
    const folder = fileURLToPath(new URL("../../results/", import.meta.url));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "matrix.md"), formatReport(rows, command));
    console.log("wrote results/matrix.md");
  }
} catch (error) {
  console.error(`matrix: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  scratch.remove();
}
