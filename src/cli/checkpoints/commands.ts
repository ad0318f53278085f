/** `openclaw-integrity checkpoints …`: the places of stored conversations that the patch has noted. */
import { Option, type Command } from "commander";
import { listCommand } from "./list.ts";
import { showCommand } from "./show.ts";
import { atLeastOne } from "../numbers.ts";

/** Adds the command `checkpoints` and its subcommands; `withCommonOptions` adds the options that all commands share. */
export function addCheckpointsCommands(program: Command, withCommonOptions: (command: Command) => Command): void {
  const checkpoints = program
    .command("checkpoints")
    .description("places that a conversation can go back to: list, show; `timeline rewind` goes there");
  withCommonOptions(checkpoints.command("list").description("list the checkpoints, the youngest first"))
    .option("--session <session>", "only checkpoints of this session")
    .option("--agent <id>", "only sessions of this agent")
    .addOption(new Option("--limit <number>", "how many at most").default(20).argParser(atLeastOne))
    .action(listCommand);
  withCommonOptions(
    checkpoints
      .command("show")
      .description("show a checkpoint: whether it is still valid, and which messages and tool calls came after it"),
  )
    .argument("<id>", "the checkpoint, as `checkpoints list` shows it")
    .option("--content", "also show the first words of messages")
    .action(showCommand);
}
