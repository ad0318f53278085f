/** `openclaw-integrity checkpoints …`: the places in stored conversations that they can be taken back to. */
import { Option, type Command } from "commander";
import { listCommand } from "./list.ts";
import { rollbackCommand } from "./rollback.ts";
import { showCommand } from "./show.ts";
import { atLeastOne } from "../numbers.ts";

/** Adds the command `checkpoints` and those below it; `withCommonOptions` gives each the options of every command. */
export function addCheckpointsCommands(program: Command, withCommonOptions: (command: Command) => Command): void {
  const checkpoints = program
    .command("checkpoints")
    .description("places that a conversation can be taken back to: list, show, rollback");
  withCommonOptions(checkpoints.command("list").description("the checkpoints that are kept, youngest first"))
    .option("--session <id or key>", "only those of this session, or of the one that this conversation has now")
    .option("--agent <id>", "only those of this agent's sessions")
    .addOption(new Option("--limit <number>", "how many at most").default(20).argParser(atLeastOne))
    .action(listCommand);
  withCommonOptions(
    checkpoints.command("show").description("what a checkpoint is, whether it still holds, and what lies behind it"),
  )
    .argument("<id>", "the checkpoint, as `checkpoints list` shows it")
    .action(showCommand);
  withCommonOptions(
    checkpoints
      .command("rollback")
      .description("let the conversation go on from a checkpoint; nothing is deleted, twice is a no-op"),
  )
    .argument("<id>", "the checkpoint, as `checkpoints list` shows it")
    .option("--dry-run", "tell what would be done, and do nothing")
    .option("--yes", "do not ask; without a terminal nothing is asked")
    .option(
      "--session-key <key>",
      "the conversation that shall go on in the session, when none does any more (to 2026.7)",
    )
    .option("--force", "go back although OpenClaw says that the session is being answered (2026.8 and later)")
    .action(rollbackCommand);
}
