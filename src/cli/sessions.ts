/** `openclaw-integrity sessions …`: what concerns stored sessions, not the patch. */
import type { Command } from "commander";
import { restoreCommand } from "./sessions-restore.ts";

/** Adds the command `sessions` and those below it; `withCommonOptions` gives each the options of every command. */
export function addSessionsCommands(program: Command, withCommonOptions: (command: Command) => Command): void {
  const sessions = program.command("sessions").description("work on stored sessions: restore");
  withCommonOptions(sessions.command("restore").description("bring back the session that an archive of openclaw-integrity holds; restoring twice is a no-op"))
    .argument("<archive>", "a *.jsonl.integrity-*.bak, or a file of the folder integrity-archives (2026.8 and later)")
    .option("--session-key <key>", "the conversation that shall go on in the restored session")
    .option("--dry-run", "tell what would be done, and do nothing")
    .option("--force", "restore although OpenClaw says that the session is being answered (2026.8 and later)")
    .action(restoreCommand);
}
