/**
 * `openclaw-integrity purge …`: deletes what this project keeps of conversations. Loaded only where it is called: no
 * other command of this kind needs a database client.
 */
import { Option, type Command } from "commander";
import { duration } from "../duration.ts";
import type { PurgeOptions } from "./options.ts";

/**
 * Adds the command `purge`; `withOutputOptions` gives it the options of every command that needs no installed OpenClaw.
 */
export function addPurgeCommand(program: Command, withOutputOptions: (command: Command) => Command): void {
  withOutputOptions(
    program
      .command("purge")
      .description(
        "delete what openclaw-integrity keeps of a session or conversation; OpenClaw's own copies are named and left " +
          "alone",
      ),
  )
    .argument(
      "[session]",
      "its id, the key of its conversation, or the beginning of one that no other has; OpenClaw need not have it any " +
        "more",
    )
    .addOption(
      new Option("--deleted", "everything that OpenClaw has deleted").conflicts(["list", "olderThan", "archives"]),
    )
    .addOption(
      new Option("--list", "show what is left of sessions that OpenClaw no longer has; delete nothing").conflicts([
        "deleted",
        "olderThan",
        "archives",
        "damaged",
        "dryRun",
      ]),
    )
    .option("--archives", "only archives: copies of transcripts, and notes of where a path led")
    .addOption(
      new Option(
        "--older-than <time>",
        "only archives older than 30d, 12h, 2w…; of all sessions where none is named",
      ).argParser(duration),
    )
    .option(
      "--damaged",
      "also databases of openclaw-integrity that were damaged and set aside, whoever's words are in them",
    )
    .option("--dry-run", "tell what would be deleted, and delete nothing")
    .option("--yes", "do not ask; needed where nobody can be asked")
    .option(
      "--force",
      "although OpenClaw says that the session is being answered (2026.8 and later), a step of recorded work is " +
        "being executed, or a store cannot be read",
    )
    .addOption(
      new Option(
        "--file <file>",
        "the SQLite store of recorded work, besides the one that the plugin's configuration names",
      ),
    )
    .addOption(new Option("--postgres <url>", "the PostgreSQL server that has it").conflicts("file"))
    .addOption(new Option("--schema <name>", "the database schema there (continuity)").conflicts("file"))
    .action(async (session: string | undefined, options: PurgeOptions, command: Command) => {
      const { list, deleted, damaged, olderThan, schema, postgres } = options;
      if (schema !== undefined && postgres === undefined) command.error("error: --schema needs --postgres");
      if (session === undefined && list !== true && deleted !== true && damaged !== true && olderThan === undefined)
        command.error("error: name a session, or use --deleted, --older-than <time>, --damaged or --list");
      await (await import("./run.ts")).purgeCommand(session, options);
    });
}
