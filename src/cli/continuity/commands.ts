/**
 * `openclaw-integrity continuity …`: shows, exports, verifies and changes recorded work, and runs an MCP server through
 * which agents read and record it. The implementation is loaded only when a command is called, because no other command
 * needs a database client.
 */
import { InvalidArgumentError, Option, type Command } from "commander";
import type { EventType, VerifyOptions } from "../../continuity/index.ts";
import { STORE_NAMES } from "../../continuity-tools/file.ts";
import { atLeastOne } from "../numbers.ts";
import { pageFile } from "../page-file.ts";
import { withTextOption } from "./base/given-text.ts";
import { addWriteCommands } from "./write-commands.ts";

type WithOptions = (command: Command) => Command;

/** The kernel's event types, listed here so that `--help` does not load the kernel. */
const EVENT_TYPES = {
  goal_created: true,
  goal_status_changed: true,
  goal_edited: true,
  goal_updated: true,
  task_added: true,
  task_edited: true,
  task_updated: true,
  task_started: true,
  task_paused: true,
  task_blocked: true,
  task_failed: true,
  task_completed: true,
  task_dropped: true,
  task_claimed: true,
  claim_given: true,
  claim_released: true,
  claims_renewed: true,
  claim_ends_told: true,
  checkpoint_updated: true,
  step_started: true,
  step_completed: true,
  step_failed: true,
  step_resolved: true,
  lease_acquired: true,
  lease_released: true,
  project_restored: true,
  copy_confirmed: true,
} satisfies Record<EventType, true>;

type Expected = NonNullable<VerifyOptions["expect"]>;

const MAX_LEASE_S = 24 * 60 * 60;

/**
 * Adds the command `continuity` and its subcommands; `withOutputOptions` adds the output options that are shared by
 * commands that work without an installed OpenClaw.
 */
export function addContinuityCommands(program: Command, withOutputOptions: WithOptions): void {
  const continuity = program
    .command("continuity")
    .description(
      "recorded work: look at it (status, next, history), check it (export, verify), change it (goal, task, " +
        "checkpoint, resolve), copy it (backup, restore, confirm); mcp lets any agent record it",
    );
  const readers = (name: string, description: string): Command =>
    withOutputOptions(withStoreOptions(continuity.command(name).description(description)));
  readers(
    "status",
    "show goals, tasks, blockers, steps that may have run and the lease, of one project or of all; changes nothing",
  )
    .addOption(new Option("--html <file>", "also write it as one page for a browser").argParser(pageFile))
    .action(async (options) => (await import("./status.ts")).statusCommand(options));
  readers("next", "show the next step, and the rule that chose it; changes nothing").action(async (options) =>
    (await import("./next.ts")).nextCommand(options),
  );
  readers(
    "history",
    "show what happened, one line for each event, the latest ones unless --after is given; changes nothing",
  )
    .option("--after <sequence>", "only events after this one", whole)
    .addOption(new Option("--limit <number>", "how many at most").default(20).argParser(atLeastOne))
    .addOption(new Option("--type <type>", "only events of this type").choices(Object.keys(EVENT_TYPES)))
    .action(async (options) => (await import("./history.ts")).historyCommand(options));
  readers("export", "write the whole ledger of a project as JSON lines, each event with its checksum; changes nothing")
    .option("--out <file>", "into this file, which must not exist, instead of to standard output")
    .action(async (options) => (await import("./export.ts")).exportCommand(options));
  readers("backup", "write a backup of all projects, or of one, that restore reads; also while agents work")
    .option("--out <file>", "into this file, which must not exist, instead of to standard output")
    .option("--replace", "replace the file if it exists")
    .option("--accept-loss", "also of an older copy of the store, to go on from it: what was done since is lost")
    .action(async (options) => (await import("./backup.ts")).backupCommand(options));
  readers("restore", "restore a backup into a store, in SQLite or PostgreSQL; it is checked as a whole first")
    .argument("<file>", "the backup")
    .option("--exact", "the very ledger, to move a store to which nothing was written since the backup")
    .option("--accept-loss", "also when the store's anchor knows of later events, which are lost")
    .action(async (file, options) => (await import("./restore.ts")).restoreCommand(file, options));
  readers("confirm", "say that it is known what was done since the copy from which a project goes on")
    .requiredOption("--reason <text>", "how that is known")
    .option("--by <name>", "who found out, if not your user name")
    .action(async (options) => (await import("./confirm.ts")).confirmCommand(options));
  const resolve = readers(
    "resolve",
    "record what became of a step that was started and may have run; without a step, list those that can be resolved",
  ).argument("[step_id]", "the step");
  withTextOption(resolve, "reason", "how that is known");
  withTextOption(resolve, "result", "what came of it, with --outcome completed")
    .addOption(
      new Option(
        "--outcome <outcome>",
        "completed: it happened; not_done: it did not, and may begin again; abandoned: it is given up",
      ).choices(["completed", "not_done", "abandoned"]),
    )
    .addOption(new Option("--attempt <number>", "which attempt, if several may have run").argParser(atLeastOne))
    .option("--by <name>", "who found out, if not your user name")
    .option("--take-over-from <owner>", "also while this process has the lease, which it loses")
    .action(async (step_id, options) => (await import("./resolve.ts")).resolveCommand(step_id, options));
  readers(
    "verify",
    "check every event, snapshot and result of all projects, or of one, and report what has been altered or damaged",
  )
    .addOption(
      new Option(
        "--expect <sequence:checksum>",
        "an event that the ledger must contain, as verify printed it before: an older copy lacks it",
      ).argParser(position),
    )
    .option("--rebuild-snapshots", "delete all snapshots if the ledger itself is intact; new ones are made from it")
    .action(async (options) => (await import("./verify.ts")).verifyCommand(options));
  addWriteCommands(continuity, (command) => withOutputOptions(withStoreOptions(command)));
  withStoreOptions(
    continuity
      .command("mcp")
      .description("serve the work to an agent by the Model Context Protocol on standard input and output"),
  )
    .addOption(
      new Option(
        "--lease <seconds>",
        "how long others wait before they take over the steps of a server that was killed",
      )
        .default(30)
        .argParser(leaseSeconds),
    )
    .addOption(
      new Option(
        "--claim <seconds>",
        "how long an agent holds a task, and the steps it has not ended, without making a call",
      )
        .default(900)
        .argParser(leaseSeconds),
    )
    .allowExcessArguments(false)
    .action(async (options) => (await import("./mcp.ts")).mcpCommand(options));
}

function withStoreOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--store <name>",
        "the plugin's store (openclaw) or the MCP server's (mcp), by default " +
          (command.name() === "mcp" ? "the latter" : "the former"),
      )
        .choices(STORE_NAMES)
        .conflicts(["file", "schema"]),
    )
    .addOption(new Option("--file <file>", "another SQLite store"))
    .addOption(new Option("--postgres <url>", "the PostgreSQL server that has the store").conflicts("file"))
    .addOption(new Option("--schema <name>", "another database schema there").conflicts("file"))
    .addOption(
      new Option("--anchor <file>", "note the ends of the ledgers of that server's store in this file").conflicts(
        "file",
      ),
    )
    .option(
      "--project <id>",
      command.name() === "mcp" ? "the only project that is served; required for OpenClaw's store" : "the project",
    );
}

function whole(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError("A whole number of at least 0 is needed.");
  return Number(value);
}

function position(value: string): Expected {
  const [, event_seq, checksum] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i.exec(value) ?? [];
  if (event_seq === undefined)
    throw new InvalidArgumentError("A sequence and a checksum are needed, as verify prints them: 57:ab12…");
  return { event_seq: Number(event_seq), checksum: checksum!.toLowerCase() };
}

function leaseSeconds(value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value) || Number(value) > MAX_LEASE_S)
    throw new InvalidArgumentError(`A number from 1 to ${MAX_LEASE_S} is needed.`);
  return Number(value);
}
