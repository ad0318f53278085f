import { Command } from "commander";
import { vi } from "vitest";
import { addPurgeCommand } from "../../src/cli/purge/commands.ts";
import type { Run } from "../cli/fixture.ts";

/** `openclaw-integrity purge` in this process, with what it prints and its exit code. */
export async function runPurge(stateDir: string, ...args: string[]): Promise<Run> {
  const printed = { stdout: "", stderr: "" };
  vi.stubEnv("OPENCLAW_STATE_DIR", stateDir);
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      printed[name] += String(text);
      return true;
    }),
  );
  const program = new Command().exitOverride();
  addPurgeCommand(program, (one) => one.option("--json").option("--quiet"));
  process.exitCode = undefined;
  try {
    await program.parseAsync(["purge", ...args], { from: "user" });
    const { stdout, stderr } = printed;
    return {
      status: Number(process.exitCode ?? 0),
      stdout,
      stderr,
      data: args.includes("--json") ? (JSON.parse(stdout) as Run["data"]) : {},
    };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  }
}
