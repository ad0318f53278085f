import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolCallSpec } from "../providers/index.ts";

/**
 * A call of the real `exec` tool that leaves a trace of how much of it ran. Cut in the middle of its arguments, where
 * the faults cut it, it would still write its first line.
 */
export function tracedCall(trace: string): ToolCallSpec {
  const command = `echo start >> ${trace}; echo one two three four five six seven eight nine ten eleven; echo end >> ${trace}`;
  return { name: "exec", arguments: { command } };
}

/** A call that has written its first line of the trace and then goes on for `seconds`. */
export function slowCall(trace: string, seconds: number): ToolCallSpec {
  return { name: "exec", arguments: { command: `echo start >> ${trace}; sleep ${seconds}; echo end >> ${trace}` } };
}

/** A call that ends at once. */
export function quickCall(trace: string): ToolCallSpec {
  return { name: "exec", arguments: { command: `echo oriole-${trace}-$((6 * 7))` } };
}

/** What the quick call says; it does not stand in the call itself, so that a request that has it has the result. */
export function quickResult(trace: string): string {
  return `oriole-${trace}-42`;
}

/** What the trace says of a scenario's call. */
export type Executed = "not executed" | "half executed" | "ended by the kill" | `executed ${number} ×`;

/** How often the call ran; a call that began and has no end is half of one, unless it was `killed` while it ran. */
export function executed(workspaceDir: string, trace: string, killed: boolean): Executed {
  const lines = traceLines(workspaceDir, trace);
  const [starts = 0, ends = 0] = ["start", "end"].map((word) => lines.filter((line) => line === word).length);
  if (starts > ends) return killed ? "ended by the kill" : "half executed";
  return ends === 0 ? "not executed" : `executed ${ends} ×`;
}

/** The lines of a trace; none before anything has run. */
export function traceLines(workspaceDir: string, trace: string): string[] {
  const path = join(workspaceDir, trace);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
}
