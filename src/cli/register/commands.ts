/** `openclaw-integrity run` and `service`: OpenClaw runs patched, and its files are not changed. */
import type { Command } from "commander";
import { runCommand } from "./run.ts";
import { serviceInstallCommand, serviceRemoveCommand } from "./service.ts";

/** Adds the commands `run` and `service`. */
export function addRegisterCommands(program: Command, withOutputOptions: (command: Command) => Command): void {
  program
    .command("run")
    .description("run one command with OpenClaw patched from memory; no file of OpenClaw is changed")
    .usage("[--required] -- openclaw gateway")
    .argument("<command...>", "the command and its arguments")
    .option("--required", "do not start OpenClaw where it cannot be patched")
    .passThroughOptions()
    .action(runCommand);
  const service = program
    .command("service")
    .description("let the gateway's service (systemd, launchd) start OpenClaw patched from memory: install, remove");
  const withServiceOptions = (command: Command): Command =>
    withOutputOptions(command)
      .option("--profile <name>", "OpenClaw's profile, as with openclaw --profile")
      .option("--unit <file>", "the service's file, when it is not the one that openclaw gateway install writes");
  withServiceOptions(
    service.command("install").description("add the hook to the service; repeating it is a no-op"),
  ).action(serviceInstallCommand);
  withServiceOptions(
    service.command("remove").description("take the hook out again: the service's files are as before, byte for byte"),
  ).action(serviceRemoveCommand);
}
