/** `openclaw-integrity routes …`: what was learned of the ways to a model. */
import type { Command } from "commander";
import { forgetCommand } from "./forget.ts";
import { listCommand } from "./list.ts";

/** Adds the command `routes` and its subcommands; `withOutputOptions` adds the options that all commands share. */
export function addRoutesCommands(program: Command, withOutputOptions: (command: Command) => Command): void {
  const routes = program
    .command("routes")
    .description("what was learned of each route (API, provider, address, model): list, forget");
  withOutputOptions(
    routes.command("list", { isDefault: true }).description("list the routes and what each does not take"),
  ).action(listCommand);
  withOutputOptions(
    routes.command("forget").description("forget what was learned: the next request is sent in full again"),
  )
    .argument("[route]", "the name of the route as `routes` shows it, or a part that no other one has")
    .option("--all", "forget it of all routes")
    .action(forgetCommand);
}
