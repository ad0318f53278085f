/**
 * Ports one release in the clone that this file lies in, and writes the outcome and the report:
 * `node scripts/port/watch/candidate.ts <release> <outcome.json>`. A process of its own, because the records are read
 * when it starts.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { complain } from "../../../src/base/terminal.ts";
import { apply } from "../../../src/patching/apply.ts";
import { PatchError } from "../../../src/patching/base/errors.ts";
import type { Explanation } from "../../../src/patching/explain.ts";
import { proofLines, prove } from "../../../src/prove/index.ts";
import { checkRelease, type ReleaseCheck } from "../../matrix/check.ts";
import { differences } from "../../matrix/compare.ts";
import { recordFacts } from "../../matrix/facts.ts";
import { installRelease } from "../../matrix/install.ts";
import { explained, knownBefore } from "../explained.ts";
import type { PortOutcome, Step } from "./outcome.ts";
import { formatReport } from "./report.ts";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
const [release = "", file = ""] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "openclaw-port-"));
const steps: Step[] = [];
const EMPTY = { points: [], differences: [], gateRuns: 0, proof: [] } as const;

async function timed<Value>(name: string, work: () => Value | Promise<Value>): Promise<Value> {
  const began = performance.now();
  complain(`  ${release}: ${name}`);
  try {
    return await work();
  } finally {
    steps.push({ name, ms: Math.round(performance.now() - began) });
  }
}

function say(line: string): void {
  complain(`  ${line}`);
}

async function port(): Promise<PortOutcome> {
  const check = await timed("patch, verify, run the gates, revert", () =>
    checkRelease(release, join(folder, "check"), say),
  );
  const now = await timed("explain", () => explained(release, join(folder, "new"), say));
  const before = knownBefore(release);
  const old =
    before &&
    (await timed(`compare with ${before.release}`, () => explained(before.release, join(folder, "old"), say)));
  const facts = {
    release,
    integrity: check.facts.integrity,
    node: check.facts.node,
    ...(before !== undefined && { before: before.release }),
    points: now.points.map(({ id, found, outcome }) => ({ id, found, outcome })),
    differences:
      old === undefined
        ? []
        : differences({ root: join(folder, "old"), explanation: old }, { root: join(folder, "new"), explanation: now }),
    gateRuns: check.gateRuns,
  };
  const reasons = listReasons(check, now, old);
  if (reasons.length > 0) return { ...facts, verdict: "needs-a-hand", reasons, proof: [], steps };
  const { patched } = await timed("install", () =>
    installRelease(release, { repository: REPOSITORY, integrity: check.facts.integrity, say }),
  );
  await timed("apply", () => apply(patched));
  const proof = await timed("prove", () => prove(patched, { node: process.execPath }));
  const lines = proofLines({ ...proof, root: "the clone" });
  if (proof.verdict !== "proven")
    return { ...facts, verdict: "needs-a-hand", reasons: [proof.sentence], proof: lines, steps };
  await timed("record, patch file, UPSTREAM.md", () => {
    recordFacts([check.facts]);
    run("scripts/patches/main.ts", "--only", release);
    run("scripts/upstream-md/main.ts");
  });
  return { ...facts, verdict: "ported", reasons: [], proof: lines, steps };
}

function run(script: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [script, ...args], { cwd: REPOSITORY, stdio: ["ignore", "ignore", "inherit"] });
}

/** A place that was there and no longer is, or is there another number of times, may be a place that was not found. */
function listReasons(check: ReleaseCheck, now: Explanation, old: Explanation | undefined): readonly string[] {
  const gone = (old?.points ?? []).flatMap(({ id, found }) => {
    const count = now.points.find((point) => point.id === id)?.found ?? 0;
    return count < found ? [`${id} is there ${count} times, ${found} times in the release before`] : [];
  });
  const leftOut = now.points.flatMap(({ id, outcome, reason }) =>
    outcome === "left-out" ? [`${id} does not fit and would be left out: ${reason ?? ""}`] : [],
  );
  return [...check.faults, ...leftOut, ...gone];
}

// Its end is the end of the process that watches: without that one nobody wants the outcome.
process.stdin.on("end", () => process.exit(1)).resume();
if ("unref" in process.stdin) process.stdin.unref();

try {
  const outcome = await port().catch((error: unknown): PortOutcome => {
    if (!(error instanceof PatchError)) throw error;
    // Of the code of a release, `refused` says nothing: it could not be downloaded or installed as published.
    const verdict = error.code === "install-failed" ? "refused" : "needs-a-hand";
    return { ...EMPTY, release, verdict, reasons: [error.message], steps };
  });
  mkdirSync(join(REPOSITORY, "results", "port"), { recursive: true });
  if (outcome.verdict !== "refused")
    writeFileSync(join(REPOSITORY, "results", "port", `${release}.md`), formatReport(outcome));
  writeFileSync(file, JSON.stringify(outcome));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
