#!/usr/bin/env node
/** `openclaw-integrity`: exit code 0 done, 1 refused (nothing was changed), 2 wrong usage. */
import { Command } from "commander";
import { applyCommand } from "./apply.ts";
import { revertCommand } from "./revert.ts";
import { EXIT } from "./run.ts";
import type { CommonOptions } from "./run.ts";
import { statusCommand } from "./status.ts";
import { verifyCommand } from "./verify.ts";

const COMMANDS: readonly (readonly [string, string, (options: CommonOptions) => void])[] = [
  ["apply", "patch OpenClaw; applying twice is a no-op", applyCommand],
  ["verify", "check that every byte of the patch is in place", verifyCommand],
  ["revert", "take the patch out again, byte for byte", revertCommand],
  ["status", "tell whether OpenClaw is patched", statusCommand],
];

const program = new Command("openclaw-integrity")
  .description("A patch set for OpenClaw after which no stored history can make a session unusable.")
  .addHelpText("after", "\nExit codes: 0 done, 1 refused (nothing was changed), 2 wrong usage.")
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.ok : EXIT.usage));
for (const [name, description, action] of COMMANDS) {
  program
    .command(name)
    .description(description)
    .option("--path <folder>", "the folder of OpenClaw, or of a project that uses it", ".")
    .option("--json", "print the outcome as JSON")
    .action(action);
}
program.parse();
