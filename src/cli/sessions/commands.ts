/** `openclaw-integrity sessions …`: commands on stored sessions. */
import { Option, type Command } from "commander";
import { doctorCommand } from "./doctor.ts";
import { pageFile } from "../page-file.ts";
import { repairCommand } from "./repair.ts";
import { restoreCommand } from "./restore.ts";
import { listSessionsCommand, scanCommand } from "./scan.ts";
import { showSessionCommand } from "./show.ts";

/** Functions that add the options of every command, and those of commands that need no installed OpenClaw. */
interface WithOptions {
  readonly withCommonOptions: (command: Command) => Command;
  readonly withOutputOptions: (command: Command) => Command;
}

/** Adds the command `sessions` and its subcommands. */
export function addSessionsCommands(program: Command, { withCommonOptions, withOutputOptions }: WithOptions): void {
  const sessions = program
    .command("sessions")
    .description("work on stored sessions: list, scan, show, doctor, repair, restore");
  const agent = ["--agent <id>", "only sessions of this agent"] as const;
  withOutputOptions(
    sessions
      .command("list")
      .description("list all stored sessions, the youngest first, with what the last scan found in each"),
  )
    .option(...agent)
    .action(listSessionsCommand);
  withOutputOptions(
    sessions.command("scan").description("look for faults in every session that has changed since the last scan"),
  )
    .option(...agent)
    .option("--all", "read all sessions, whatever the last scan found")
    .action(scanCommand);
  withOutputOptions(sessions.command("show").description("show the faults of one session, and where they are"))
    .argument("<session>", "its id, the key of its conversation, or a transcript file (*.jsonl)")
    .option(...agent)
    .option("--content", "also show the first words of messages")
    .action(showSessionCommand);
  withCommonOptions(
    sessions
      .command("doctor")
      .description(
        "report on all sessions, or one: faults and what repairs them, checkpoints, archives, incidents; " +
          "changes no session",
      ),
  )
    .argument("[session]", "its id, the key of its conversation, or a transcript file (*.jsonl)")
    .option("--html <file>", "also write the report as one page for a browser, with the conversations drawn", pageFile)
    .option("--all", "list all sessions, not only the 20 worst")
    .option(...agent)
    .option("--content", "also show the first words of messages")
    .action(doctorCommand);
  withCommonOptions(
    sessions
      .command("repair")
      .description(
        "repair a stored session that has faults, and keep the original; a session without faults is not changed",
      ),
  )
    .argument("[session]", "its id, the key of its conversation, or a transcript file (*.jsonl)")
    .option("--all", "every session with faults")
    .option(...agent)
    .addOption(
      new Option("--strategy <strategy>", "how results without a call are treated")
        .choices(["remove_orphans", "reconstruct", "truncate"])
        .default("remove_orphans"),
    )
    .option("--dry-run", "show what would be changed, and change nothing")
    .option("--force", "also while OpenClaw reports a run in the session (2026.8 and later)")
    .action(repairCommand);
  withCommonOptions(
    sessions
      .command("restore")
      .description("restore the session in an archive of openclaw-integrity; restoring it again is a no-op"),
  )
    .argument(
      "<archive>",
      "its id, as the notice in the chat names it, or the file: a *.jsonl.integrity-*.bak, or one in the folder " +
        "integrity-archives (2026.8 and later)",
    )
    .option("--session-key <key>", "the conversation to continue in the restored session")
    .option("--dry-run", "show what would be changed, and change nothing")
    .option("--force", "also while OpenClaw reports a run in the session (2026.8 and later)")
    .action(restoreCommand);
}
