/**
 * `openclaw-integrity purge …`: deletes the data that openclaw-integrity keeps of conversations. The implementation is
 * loaded only when the command is called, because it needs a database client.
 */
import { Option, type Command } from "commander";
import { duration } from "../duration.ts";
import type { PurgeOptions } from "./options.ts";

/** Adds the command `purge`; `withOutputOptions` adds the options of commands that need no installed OpenClaw. */
export function addPurgeCommand(program: Command, withOutputOptions: (command: Command) => Command): void {
  withOutputOptions(
    program
      .command("purge")
      .description(
        "delete the data that openclaw-integrity keeps of a session or conversation; OpenClaw's own copies are " +
          "listed and left alone",
      ),
  )
    .argument(
      "[session]",
      "its id, the key of its conversation, or a unique beginning of either; OpenClaw may have deleted it already",
    )
    .addOption(
      new Option("--deleted", "the data of all sessions that OpenClaw has deleted").conflicts([
        "list",
        "olderThan",
        "archives",
      ]),
    )
    .addOption(
      new Option("--list", "list the data left of sessions that OpenClaw no longer has; delete nothing").conflicts([
        "deleted",
        "olderThan",
        "archives",
        "damaged",
        "dryRun",
      ]),
    )
    .option("--archives", "only archives: copies of transcripts, and records of where a path ended")
    .addOption(
      new Option(
        "--older-than <time>",
        "only archives older than 30d, 12h, 2w…; of all sessions where none is named",
      ).argParser(duration),
    )
    .option(
      "--damaged",
      "also databases of openclaw-integrity that were damaged and set aside, whatever conversations they contain",
    )
    .option("--if-exists", "no error when nothing of this name is known, for a script that repeats a purge")
    .option("--dry-run", "show what would be deleted, and delete nothing")
    .option("--yes", "do not ask; required without a terminal")
    .option(
      "--force",
      "even if OpenClaw reports an active run in the session (2026.8 and later), a step of recorded work is " +
        "being executed, or a store cannot be read",
    )
    .addOption(
      new Option(
        "--file <file>",
        "a SQLite store of recorded work, in addition to the one that the plugin's configuration names",
      ),
    )
    .addOption(new Option("--postgres <url>", "a PostgreSQL server with such a store").conflicts("file"))
    .addOption(new Option("--schema <name>", "the database schema there (continuity)").conflicts("file"))
    .addOption(
      new Option("--anchor <file>", "the file in which the ends of that server's ledgers are noted").conflicts("file"),
    )
    .action(async (session: string | undefined, options: PurgeOptions, command: Command) => {
      const { list, deleted, damaged, olderThan, schema, postgres, anchor } = options;
      if (schema !== undefined && postgres === undefined) command.error("error: --schema needs --postgres");
      if (anchor !== undefined && postgres === undefined) command.error("error: --anchor needs --postgres");
      if (session === undefined && list !== true && deleted !== true && damaged !== true && olderThan === undefined)
        command.error("error: name a session, or use --deleted, --older-than <time>, --damaged or --list");
      await (await import("./run.ts")).purgeCommand(session, options);
    });
}
