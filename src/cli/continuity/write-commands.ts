/** `openclaw-integrity continuity goal`, `task` and `checkpoint`: what people write themselves. */
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { withTextFileOption, withTextOption } from "./base/given-text.ts";
import type { TaskMove } from "./write-work.ts";

type WithOptions = (command: Command) => Command;

const WHICH = "its id, or the beginning of the id (4 characters or more) that no other has";

/** Adds the commands that write; `withOptions` adds those options that select the store and the output. */
export function addWriteCommands(continuity: Command, withOptions: WithOptions): void {
  const writer = (group: Command, name: string, description: string, own: WithOptions = (one) => one): Command =>
    withOptions(own(group.command(name).description(description)))
      .option("--by <name>", "who writes, if not your user name; agents see the words as the command line's")
      .option("--command-id <id>", "makes a repetition harmless: the same id is carried out once");
  addGoalCommands(continuity.command("goal").description("create or edit a goal, or change its status"), writer);
  addTaskCommands(
    continuity
      .command("task")
      .description(
        "add, edit, drop, start, pause, block, release or take a task, or record that it is done or has failed",
      ),
    writer,
  );
  const checkpoint = "record where a task was left off, and the one action that comes next";
  writer(continuity, "checkpoint", checkpoint, (command) => {
    withTextOption(command, "where-we-left-off", "what is done, and where it stands");
    return withTextOption(command, "next-step", "the one action that comes next")
      .addOption(severalOption("--needed-context-ref <text>", "a file, address or message that the next step needs"))
      .addOption(severalOption("--blocker <text>", "what stands in the way"));
  })
    .argument("[task]", "by default the one in progress, if there is only one")
    .action(async (which, options) => (await import("./write-work.ts")).checkpointCommand(which, options));
}

type Writer = (group: Command, name: string, description: string, own?: WithOptions) => Command;

function addGoalCommands(goal: Command, writer: Writer): void {
  writer(goal, "create", "create an active goal", (command) =>
    withTextFileOption(command, "text")
      .addOption(new Option("--priority <number>", "higher is more important (0)").argParser(priority))
      .option("--new", "create the project that --project names, and its store, if they are not there"),
  )
    .argument("[text]", "why the work is done")
    .action(async (text, options) => (await import("./write-work.ts")).createGoalCommand(text, options));
  writer(goal, "edit", "change the words or the priority of a goal; what is left out stays", (command) =>
    withTextOption(command, "text", "why the work is done").addOption(
      new Option("--priority <number>", "higher is more important").argParser(priority),
    ),
  )
    .argument("<goal>", WHICH)
    .action(async (which, options) => (await import("./write-work.ts")).editGoalCommand(which, options));
  writer(
    goal,
    "status",
    "pause a goal, make it active, close it when all its tasks are done, or end it with its open tasks",
    (command) => withTextOption(command, "reason", "for dropped and failed: why it is not reached"),
  )
    .argument("<goal>", WHICH)
    .addArgument(new Argument("<status>", "its new status").choices(["active", "paused", "done", "dropped", "failed"]))
    .action(async (which, status, options) =>
      (await import("./write-work.ts")).goalStatusCommand(which, status, options),
    );
}

function addTaskCommands(task: Command, writer: Writer): void {
  writer(task, "add", "add a task to a goal", (command) =>
    withTextFileOption(command, "title")
      .option("--goal <goal>", "its goal, if there are several active ones")
      .addOption(severalOption("--acceptance-criterion <text>", "what must hold when it is done"))
      .addOption(severalOption("--depends-on <task>", "a task that must be done first"))
      .addOption(priorityOption())
      .option("--due <time>", DUE)
      .addOption(retriesOption()),
  )
    .argument("[title]", "what is to be done")
    .action(async (title, options) => (await import("./write-work.ts")).addTaskCommand(title, options));
  writer(task, "edit", "change the words or dependencies of a task; what is left out stays", (command) =>
    withTextOption(command, "title", "what is to be done")
      .addOption(
        severalOption("--acceptance-criterion <text>", "what must hold when it is done, instead of the former"),
      )
      .option("--no-acceptance-criterion", "it has none any more")
      .addOption(severalOption("--depends-on <task>", "a task that must be done first, instead of the former"))
      .option("--no-depends-on", "it depends on none any more")
      .addOption(priorityOption())
      .option("--no-priority", "that of its goal")
      .option("--due <time>", DUE)
      .option("--no-due", "it has none any more")
      .addOption(retriesOption())
      .option("--no-retries", "it has none any more"),
  )
    .argument("<task>", WHICH)
    .action(async (which, options) => (await import("./write-work.ts")).editTaskCommand(which, options));
  for (const [name, [description, text, what]] of Object.entries(MOVES))
    writer(task, name, description, (command) => (text === undefined ? command : withTextOption(command, text, what!)))
      .argument("<task>", WHICH)
      .action(async (which, options) =>
        (await import("./write-work.ts")).moveTaskCommand(name as TaskMove, which, options),
      );
  writer(
    task,
    "release",
    "free a task from the agent that holds it, or give it to another one; both are told",
    (command) => command.option("--to <name>", "the agent that has it from now on, by the name that it gives itself"),
  )
    .argument("<task>", WHICH)
    .action(async (which, options) => (await import("./write-work.ts")).releaseTaskCommand(which, options));
  writer(task, "take", "do a task yourself, whoever holds it, until you release or complete it")
    .argument("<task>", WHICH)
    .action(async (which, options) => (await import("./write-work.ts")).takeTaskCommand(which, options));
}

/** The commands that move a task to another status: what each does, and the text that goes with it. */
const MOVES: Readonly<Record<TaskMove, readonly [description: string, text?: string, what?: string]>> = {
  drop: ["take a task that is not done out of the work; its history stays", "reason", "why it is not to be done"],
  start: ["begin a task, or continue one that is blocked or done"],
  pause: ["put a task back among those to do", "reason", "why"],
  block: ["record what a task waits for", "blocker", "what it waits for"],
  fail: ["record that a task has failed; it is tried again as often as its retries say", "reason", "why it has failed"],
  complete: ["record that a task is done", "evidence", "what shows that it is done"],
};

/** An option that can be repeated; its value is the list of what was given. */
function severalOption(flags: string, description: string): Option {
  return new Option(flags, `${description}; can be repeated`).argParser(
    (value: string, before: unknown): readonly string[] => [...(Array.isArray(before) ? before : []), value],
  );
}

const DUE = "when it has to be done: a time with its zone, as 2026-11-26T18:00:00Z, or a day";

function priorityOption(): Option {
  return new Option("--priority <number>", "higher is more important, if not that of its goal").argParser(priority);
}

function retriesOption(): Option {
  return new Option("--retries <number>", "how often it is tried again after a failure").argParser((value) => {
    if (!/^\d{1,3}$/.test(value) || Number(value) > 100)
      throw new InvalidArgumentError("A whole number from 0 to 100 is needed.");
    return Number(value);
  });
}

function priority(value: string): number {
  if (!/^-?\d{1,4}$/.test(value) || Math.abs(Number(value)) > 1000)
    throw new InvalidArgumentError("A whole number from -1000 to 1000 is needed.");
  return Number(value);
}
