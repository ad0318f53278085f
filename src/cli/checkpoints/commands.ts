/** `openclaw-integrity checkpoints …`: the places to which stored conversations can be rolled back. */
import { Option, type Command } from "commander";
import { listCommand } from "./list.ts";
import { rollbackCommand } from "./rollback.ts";
import { showCommand } from "./show.ts";
import { atLeastOne } from "../numbers.ts";

/** Adds the command `checkpoints` and its subcommands; `withCommonOptions` adds the options that all commands share. */
export function addCheckpointsCommands(program: Command, withCommonOptions: (command: Command) => Command): void {
  const checkpoints = program
    .command("checkpoints")
    .description("places that a conversation can be rolled back to: list, show, rollback");
  withCommonOptions(checkpoints.command("list").description("list the checkpoints, the youngest first"))
    .option(
      "--session <session>",
      "only checkpoints of this session: its id, the key of its conversation, or a transcript file (*.jsonl)",
    )
    .option("--agent <id>", "only checkpoints of this agent's sessions")
    .addOption(new Option("--limit <number>", "how many at most").default(20).argParser(atLeastOne))
    .action(listCommand);
  withCommonOptions(
    checkpoints
      .command("show")
      .description("show a checkpoint: whether it is still valid, and which messages and tool calls came after it"),
  )
    .argument("<id>", "the checkpoint, as `checkpoints list` shows it")
    .option("--content", "also show the first words of these messages")
    .action(showCommand);
  withCommonOptions(
    checkpoints
      .command("rollback")
      .description("continue the conversation from a checkpoint; nothing is deleted, repeating it is a no-op"),
  )
    .argument("<id>", "the checkpoint, as `checkpoints list` shows it")
    .option("--dry-run", "show what would be done, and change nothing")
    .option("--yes", "do not ask; without a terminal nothing is asked")
    .option(
      "--session-key <key>",
      "the conversation to continue in the session, when the session has none any more (up to 2026.7)",
    )
    .option("--force", "roll back even if OpenClaw reports an active run in the session (2026.8 and later)")
    .action(rollbackCommand);
}
