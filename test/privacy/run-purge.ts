import { Command } from "commander";
import { vi } from "vitest";
import { addPurgeCommand } from "../../src/cli/purge.ts";
import type { Run } from "../cli/fixture.ts";

/** `openclaw-integrity purge` in this process, with what it prints and its exit code. */
export async function runPurge(stateDir: string, ...args: string[]): Promise<Run> {
  const printed = { log: [] as string[], error: [] as string[] };
  vi.stubEnv("OPENCLAW_STATE_DIR", stateDir);
  const spies = (["log", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((line: string) => void printed[name].push(`${line}\n`)),
  );
  const program = new Command().exitOverride();
  addPurgeCommand(program, (one) => one.option("--json").option("--quiet"));
  process.exitCode = undefined;
  try {
    await program.parseAsync(["purge", ...args], { from: "user" });
    const stdout = printed.log.join("");
    return {
      status: Number(process.exitCode ?? 0),
      stdout,
      stderr: printed.error.join(""),
      data: args.includes("--json") ? (JSON.parse(stdout) as Run["data"]) : {},
    };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  }
}
