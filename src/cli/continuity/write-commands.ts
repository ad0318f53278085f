/** `openclaw-integrity continuity goal`, `task` and `checkpoint`: what people write themselves. */
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { withTextFileOption, withTextOption } from "./given-text.ts";

const WHICH = "its id, or the beginning of the id (4 characters or more) that no other has";

/** Adds the commands that write; `withOptions` adds those that select the store and the output. */
export function addWriteCommands(continuity: Command, withOptions: (command: Command) => Command): void {
  const goal = continuity.command("goal").description("goals: why the work is done");
  const task = continuity.command("task").description("tasks: the units of work of a goal");
  const writer = (group: Command, name: string, description: string): Command =>
    withOptions(group.command(name).description(description))
      .option("--by <name>", "who writes, if not your user name; agents see the words as the command line's")
      .option("--command-id <id>", "makes a repetition harmless: the same id is carried out once");

  withTextFileOption(writer(goal, "create", "create an active goal"), "text")
    .argument("[text]", "why the work is done")
    .addOption(new Option("--priority <number>", "higher is more important (0)").argParser(priority))
    .option("--new", "create the project that --project names, and its store, if they are not there")
    .action(async (text, options) => (await import("./write-work.ts")).createGoalCommand(text, options));
  writer(goal, "status", "pause a goal, make it active again, or close it when all its tasks are done")
    .argument("<goal>", WHICH)
    .addArgument(new Argument("<status>", "its new status").choices(["active", "paused", "done"]))
    .action(async (which, status, options) =>
      (await import("./write-work.ts")).goalStatusCommand(which, status, options),
    );

  withTextFileOption(writer(task, "add", "add a task to a goal"), "title")
    .argument("[title]", "what is to be done")
    .option("--goal <goal>", "its goal, if there are several active ones: an id or the beginning of one")
    .addOption(
      new Option("--acceptance-criterion <text>", "what must hold when it is done; can be repeated").argParser(several),
    )
    .addOption(
      new Option(
        "--depends-on <task>",
        "a task that must be done first: an id or the beginning of one; can be repeated",
      ).argParser(several),
    )
    .action(async (title, options) => (await import("./write-work.ts")).addTaskCommand(title, options));
  writer(task, "start", "begin a task, or reopen one that is blocked or done")
    .argument("<task>", WHICH)
    .action(async (which, options) => (await import("./write-work.ts")).startTaskCommand(which, options));
  withTextOption(writer(task, "pause", "put a task back among those to do"), "reason", "why")
    .argument("<task>", WHICH)
    .action(async (which, options) => (await import("./write-work.ts")).pauseTaskCommand(which, options));
  withTextOption(writer(task, "block", "record what a task waits for"), "blocker", "what it waits for")
    .argument("<task>", WHICH)
    .action(async (which, options) => (await import("./write-work.ts")).blockTaskCommand(which, options));
  withTextOption(writer(task, "complete", "record that a task is done"), "evidence", "what shows that it is done")
    .argument("<task>", WHICH)
    .action(async (which, options) => (await import("./write-work.ts")).completeTaskCommand(which, options));

  withTextOption(
    withTextOption(
      writer(continuity, "checkpoint", "record where a task was left off, and the one action that comes next"),
      "where-we-left-off",
      "what is done, and where it stands",
    ),
    "next-step",
    "the one action that comes next",
  )
    .argument("[task]", `${WHICH}; the one in progress, if there is only one`)
    .addOption(
      new Option(
        "--needed-context-ref <text>",
        "a file, address or message that the next step needs; can be repeated",
      ).argParser(several),
    )
    .addOption(new Option("--blocker <text>", "what stands in the way; can be repeated").argParser(several))
    .action(async (which, options) => (await import("./write-work.ts")).checkpointCommand(which, options));
}

/** Collects the values of an option that can be repeated. */
function several(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function priority(value: string): number {
  if (!/^-?\d{1,4}$/.test(value) || Math.abs(Number(value)) > 1000)
    throw new InvalidArgumentError("A whole number from -1000 to 1000 is needed.");
  return Number(value);
}
