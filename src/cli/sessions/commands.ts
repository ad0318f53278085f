/** `openclaw-integrity sessions …`: what concerns stored sessions, not the patch. */
import { Option, type Command } from "commander";
import { doctorCommand, pageFile } from "./doctor.ts";
import { repairCommand } from "./repair.ts";
import { restoreCommand } from "./restore.ts";
import { listSessionsCommand, scanCommand } from "./scan.ts";
import { showSessionCommand } from "./show.ts";

/** Gives a command the options of every command, or those of the commands that need no installed OpenClaw. */
interface WithOptions {
  readonly withCommonOptions: (command: Command) => Command;
  readonly withOutputOptions: (command: Command) => Command;
}

/** Adds the command `sessions` and those below it. */
export function addSessionsCommands(program: Command, { withCommonOptions, withOutputOptions }: WithOptions): void {
  const sessions = program
    .command("sessions")
    .description("work on stored sessions: list, scan, show, doctor, repair, restore");
  const agent = ["--agent <id>", "only those of this agent"] as const;
  withOutputOptions(
    sessions
      .command("list")
      .description("show every stored session, the youngest first, and what the last scan found in it"),
  )
    .option(...agent)
    .action(listSessionsCommand);
  withOutputOptions(
    sessions
      .command("scan")
      .description(
        "look for faults in every session that was written to since the last scan; changes nothing in them, also beside a running gateway",
      ),
  )
    .option(...agent)
    .option("--all", "read all of them, whatever the last scan found")
    .action(scanCommand);
  withOutputOptions(sessions.command("show").description("show what is wrong with one session, and where"))
    .argument("<session>", "its id, the key of its conversation, or a transcript file (*.jsonl)")
    .option(...agent)
    .option("--content", "also show the first words of the messages that have faults")
    .action(showSessionCommand);
  withOutputOptions(
    sessions
      .command("doctor")
      .description(
        "report on all sessions, or one: faults and what mends them, checkpoints, archives, incidents; changes nothing in them",
      ),
  )
    .argument("[session]", "its id, the key of its conversation, or a transcript file (*.jsonl)")
    .option("--html <file>", "also write the report as one page for a browser, with the conversations drawn", pageFile)
    .option(...agent)
    .option("--content", "also show the first words of messages")
    .action(doctorCommand);
  withCommonOptions(
    sessions
      .command("repair")
      .description("mend the store of a session that has faults, and keep what it was; a sound one is not touched"),
  )
    .argument("[session]", "its id, the key of its conversation, or a transcript file (*.jsonl)")
    .option("--all", "every session with faults")
    .option(...agent)
    .addOption(
      new Option("--strategy <strategy>", "what is done about results without a call")
        .choices(["remove_orphans", "reconstruct", "truncate"])
        .default("remove_orphans"),
    )
    .option("--dry-run", "tell what would be done, and do nothing")
    .option("--force", "repair although OpenClaw says that the session is being answered (2026.8 and later)")
    .action(repairCommand);
  withCommonOptions(
    sessions
      .command("restore")
      .description("bring back the session that an archive of openclaw-integrity holds; restoring twice is a no-op"),
  )
    .argument(
      "<archive>",
      "its id, as the notice in the chat names it, or the file: a *.jsonl.integrity-*.bak, or one of the folder integrity-archives (2026.8 and later)",
    )
    .option("--session-key <key>", "the conversation that shall go on in the restored session")
    .option("--dry-run", "tell what would be done, and do nothing")
    .option("--force", "restore although OpenClaw says that the session is being answered (2026.8 and later)")
    .action(restoreCommand);
}
