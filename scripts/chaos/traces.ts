import { existsSync, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import type { Progress } from "./progress.ts";

/**
 * What commands and OpenClaw wrote down of the calls, by call id and then by what happened: the time in milliseconds.
 */
export type Happened = Map<string, Map<string, number>>;

const EVENTS = "openclaw.txt";

/**
 * The file to which OpenClaw's process writes what it says of its calls, a line `<begun|returned> <ms> <call id>` for
 * each.
 */
export function eventsFile(traces: string): string {
  return join(traces, EVENTS);
}

/** Everything that is written in a folder of traces. */
export function readTraces(traces: string): Happened {
  const happened: Happened = new Map();
  for (const name of readdirSync(traces)) {
    for (const [call, what, ms] of readTraceLines(traces, name)) {
      const facts = happened.get(call) ?? new Map<string, number>();
      if (!facts.has(what)) facts.set(what, ms);
      happened.set(call, facts);
    }
  }
  return happened;
}

/** Marks `<call id> <what>` as soon as it is written; the function it gives ends that. */
export function watchTraces(traces: string, progress: Progress): () => void {
  const watcher = watch(traces, (_, name) => {
    if (name === null) return;
    for (const [call, what] of readTraceLines(traces, name)) progress.mark(`${call} ${what}`);
  });
  return () => watcher.close();
}

function readTraceLines(traces: string, name: string): [call: string, what: string, ms: number][] {
  const path = join(traces, name);
  if (!existsSync(path)) return [];
  // A kill may leave half a line of OpenClaw's own.
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const [what = "", ms = "", call = name.replace(/\.txt$/, "")] = line.split(" ");
    return [call, what, Number(ms)];
  });
}
