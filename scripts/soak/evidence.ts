import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Fault } from "./judge.ts";
import { faultLines } from "./report.ts";
import type { Side } from "./side.ts";

const EVIDENCE = fileURLToPath(new URL("../../.cache/soak", import.meta.url));

/**
 * Keeps what a side's faults can be explained from, in a folder that is in no commit: its gateway's log and state, what
 * each request had, and what was said. Replaces that of an earlier run with this seed; returns the folder.
 */
export async function keepEvidence(side: Side, faults: readonly Fault[], seed: string): Promise<string> {
  const { release, variant } = side.subject;
  const folder = join(EVIDENCE, `${release}-${variant}-${seed}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all([
    writeFile(join(folder, "faults.txt"), `${faultLines(faults).join("\n")}\n`),
    writeFile(join(folder, "gateway.log"), side.gateway.log()),
    writeFile(join(folder, "requests.jsonl"), jsonLines(side.model.requests)),
    writeFile(
      join(folder, "said.jsonl"),
      jsonLines(side.said.map((said) => ({ ...said, ends: side.witness.closings(said.run ?? "") }))),
    ),
    cp(side.gateway.stateDir, join(folder, "state"), { recursive: true }),
  ]);
  return folder;
}

function jsonLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row, (_, value: unknown) => plain(value))}\n`).join("");
}

function plain(value: unknown): unknown {
  return value instanceof Set ? [...(value as Set<unknown>)] : value;
}
