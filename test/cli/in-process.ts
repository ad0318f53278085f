import { vi } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { program } from "../../src/cli/program.ts";
import type { Run } from "./fixture.ts";

const STREAMS = ["stdout", "stderr"] as const;
type Printed = Record<(typeof STREAMS)[number], string>;

/** What the command that runs now has printed. */
let printed: Printed | undefined;

// For good: a command that sets other output aside keeps the function that it found.
for (const name of STREAMS) {
  const write = process[name].write.bind(process[name]);
  process[name].write = ((text: string | Uint8Array, ...rest: never[]) => {
    if (printed === undefined) return write(text, ...rest);
    printed[name] += String(text);
    return true;
  }) as typeof process.stdout.write;
}

/**
 * `openclaw-integrity` in this process, with what it prints and its exit code: a second faster than a process of its
 * own. `columns`: the width of a terminal. Not for commands that load OpenClaw's code, which end the process, nor for
 * wrong usage.
 */
export async function runHere(stateDir: string, args: readonly string[], columns?: number): Promise<Run> {
  vi.stubEnv("OPENCLAW_STATE_DIR", stateDir);
  vi.stubEnv("HOME", newFolder());
  const widths = STREAMS.map((name) => Object.getOwnPropertyDescriptor(process[name], "columns"));
  for (const name of STREAMS) Object.defineProperty(process[name], "columns", { value: columns, configurable: true });
  process.exitCode = undefined;
  const mine: Printed = { stdout: "", stderr: "" };
  printed = mine;
  try {
    await program.parseAsync(args, { from: "user" });
    const isJson = args.includes("--json") && mine.stdout !== "";
    return {
      status: Number(process.exitCode ?? 0),
      ...mine,
      data: isJson ? (JSON.parse(mine.stdout) as Run["data"]) : {},
    };
  } finally {
    printed = undefined;
    for (const [at, name] of STREAMS.entries()) {
      const width = widths[at];
      if (width === undefined) delete (process[name] as { columns?: number }).columns;
      else Object.defineProperty(process[name], "columns", width);
    }
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  }
}
