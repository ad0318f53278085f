/**
 * `openclaw-integrity continuity …`: shows, exports and verifies recorded work, and runs an MCP server through which
 * agents read and record it. The implementation is loaded only when a command is called, because no other command needs a database client.
 */
import { InvalidArgumentError, Option, type Command } from "commander";
import type { EventType } from "../../continuity/index.ts";
import { STORE_NAMES } from "../../continuity-tools/file.ts";
import { atLeastOne } from "../numbers.ts";

type WithOptions = (command: Command) => Command;

/** The kernel's event types, listed here so that `--help` does not load the kernel. */
const EVENT_TYPES = {
  goal_created: true,
  goal_status_changed: true,
  task_added: true,
  task_started: true,
  task_paused: true,
  task_blocked: true,
  task_completed: true,
  checkpoint_updated: true,
  step_started: true,
  step_completed: true,
  step_failed: true,
  step_resolved: true,
  lease_acquired: true,
  lease_released: true,
  project_restored: true,
  project_forked: true,
} satisfies Record<EventType, true>;

const MAX_LEASE_S = 24 * 60 * 60;

/**
 * Adds the command `continuity` and its subcommands; `withOutputOptions` adds the output options that are shared by
 * commands that work without an installed OpenClaw.
 */
export function addContinuityCommands(program: Command, withOutputOptions: WithOptions): void {
  const continuity = program
    .command("continuity")
    .description("recorded work: status, next, history, export, resolve, verify; mcp lets any agent record it");
  const readers = (name: string, description: string): Command =>
    withOutputOptions(withStoreOptions(continuity.command(name).description(description)));
  readers(
    "status",
    "show goals, tasks, where the work was left off, what blocks it and which steps may have run; changes nothing",
  ).action(async (options) => (await import("./status.ts")).statusCommand(options));
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
  readers(
    "resolve",
    "record what became of a step that was started and may have run; the only command that writes to the work",
  )
    .argument("<step_id>", "the step")
    .addOption(
      new Option(
        "--outcome <outcome>",
        "completed: it happened; not_done: it did not, and may begin again; abandoned: it is given up",
      )
        .choices(["completed", "not_done", "abandoned"])
        .makeOptionMandatory(),
    )
    .requiredOption("--reason <text>", "how that is known")
    .option("--result <text>", "what came of it, with --outcome completed")
    .addOption(new Option("--attempt <number>", "which attempt, unless it is the latest one").argParser(atLeastOne))
    .option("--by <name>", "who found out")
    .action(async (step_id, options) => (await import("./resolve.ts")).resolveCommand(step_id, options));
  readers(
    "verify",
    "check every event, snapshot and result of all projects, or of one, and report what has been altered or damaged",
  )
    .option("--rebuild-snapshots", "delete all snapshots if the ledger itself is intact; new ones are made from it")
    .action(async (options) => (await import("./verify.ts")).verifyCommand(options));
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
    .allowExcessArguments(false)
    .action(async (options) => (await import("./mcp.ts")).mcpCommand(options));
}

function withStoreOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--store <name>",
        "whose store: openclaw, which the plugin writes, or mcp, which the MCP server writes " +
          `(${command.name() === "mcp" ? "mcp" : "openclaw"})`,
      )
        .choices(STORE_NAMES)
        .conflicts(["file", "schema"]),
    )
    .addOption(new Option("--file <file>", "another SQLite store"))
    .addOption(new Option("--postgres <url>", "the PostgreSQL server that has the store").conflicts("file"))
    .addOption(new Option("--schema <name>", "another database schema there").conflicts("file"))
    .option(
      "--project <id>",
      command.name() === "mcp" ? "the only project that is served; required for OpenClaw's store" : "the project",
    );
}

function whole(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError("A whole number of at least 0 is needed.");
  return Number(value);
}

function leaseSeconds(value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value) || Number(value) > MAX_LEASE_S)
    throw new InvalidArgumentError(`A number from 1 to ${MAX_LEASE_S} is needed.`);
  return Number(value);
}
