/** The commands of `openclaw-integrity`, their options, and the meaning of exit codes. */
import { Command, type CommanderError, Option } from "commander";
import { columns, printJson, sayText } from "../base/terminal.ts";
import { applyCommand } from "./patch/apply.ts";
import { addCheckpointsCommands } from "./checkpoints/commands.ts";
import { addContinuityCommands } from "./continuity/commands.ts";
import { explainCommand } from "./patch/explain.ts";
import { addPluginCommands } from "./plugin/commands.ts";
import { proveCommand } from "./patch/prove.ts";
import { addRegisterCommands } from "./register/commands.ts";
import { revertCommand } from "./patch/revert.ts";
import { addPurgeCommand } from "./purge/commands.ts";
import { addRoutesCommands } from "./routes/commands.ts";
import { EXAMPLES } from "./examples.ts";
import { FIRST_SCREEN } from "./first-screen.ts";
import { frontDoor } from "./front-door.ts";
import { EXIT, type CommonOptions } from "./run.ts";
import { setupCommand } from "./setup/setup.ts";
import { addSessionsCommands } from "./sessions/commands.ts";
import { SOURCE_COMMANDS, sourceCommand, type SourceOptions } from "./patch/source.ts";
import { statusCommand } from "./patch/status.ts";
import { addTestAgentCommand } from "./test-agent/commands.ts";
import { addTimelineCommands } from "./timeline/commands.ts";
import { packageVersion } from "./version.ts";
import { verifyCommand } from "./patch/verify.ts";
import { whyCommand } from "./sessions/why.ts";
import { writePatchesCommand } from "./patch/write-patches.ts";

const COMMANDS: readonly (readonly [string, string, (options: CommonOptions) => void])[] = [
  ["apply", "patch OpenClaw; applying twice is a no-op", applyCommand],
  ["status", "show whether OpenClaw is patched, and what removed the patch", statusCommand],
  ["prove", "run corrupt sessions through OpenClaw, in a temporary home and without a key", proveCommand],
  ["verify", "check that every byte of the patch is in place", verifyCommand],
  ["revert", "remove the patch, restoring OpenClaw's files byte for byte; needs no network", revertCommand],
  ["explain", "show each patch point: what it prevents, where it fits, why it is refused", explainCommand],
];

/** Width of the help text where the terminal's width is unknown; commander's default. */
const HELP_WIDTH = 80;

const ABOUT_ALL = `
Without --path or --global: the OpenClaw of the project around the current
folder, or where there is none the one of this machine (write-patches: of the
project only).

Exit codes:
  0  done, or nothing to do (status: patched; explain: patched, or it would be)
  1  refused, nothing was changed;
     continuity verify: data was altered or damaged;
     purge: something could not be deleted;
     prove: not proven, or could not be run;
     test-agent: the agent does not conform;
     apply --prove: not proven, and the patch was taken back, or it could not
     be run
  2  wrong usage; test-agent: the agent could not be tested
  3  status: not patched, only in part, or only while a gateway runs;
     setup: a gateway that is started as before is not patched (with
     --rehearse: the update would break something);
     explain: apply would refuse it;
     sessions list, scan, show and doctor: faults were found (list: by the last
     scan), or something could not be read;
     continuity status and resolve: one of several projects could not be read;
     sessions repair: done in part; plugin status: not loaded
  run: the exit code of the command`;

/** The whole command line; nothing is parsed yet. */
export const program = new Command("openclaw-integrity")
  .configureOutput({
    writeOut: (text) => sayText(text),
    writeErr: (text) => sayText(text, "stderr"),
    outputError: (text, write) => write(withHint(text).replace(/^error: /, "openclaw-integrity: ")),
    getOutHelpWidth: () => columns() ?? HELP_WIDTH,
  })
  // Descriptions beside long names are wrapped too; below that width commander lets them run on.
  .configureHelp({ minWidthToWrap: 20 })
  .version(packageVersion(), "-v, --version", "print the version")
  .description("A patch set for OpenClaw after which no stored history can make a session unusable.")
  .enablePositionalOptions()
  .helpCommand(false)
  .exitOverride(endUnparsed);
const allCommands = program.helpInformation.bind(program);
program.helpInformation = () => FIRST_SCREEN;
withCommonOptions(
  program
    .command("setup")
    .description("patch OpenClaw, prove it, and keep it patched: shows what it will do and asks")
    .option("--yes", "do not ask")
    .option("--undo", "undo what setup has done, and nothing else")
    .option("--dry-run", "show what would be changed, and change nothing")
    .addOption(new Option("--way <way>", "in files or in memory").choices(["files", "register"]))
    .option("--no-plugin", "do not install the plugin")
    .option("--continuity", "as of plugin install")
    .option("--time-travel", "as of plugin install")
    .addOption(
      new Option("--rehearse <version>", "try an update with copies of sessions").conflicts(["undo", "dryRun"]),
    )
    .option("--sessions <n>", "with --rehearse: at most so many (default: 8)")
    .option("--switch", "with --rehearse: update, unless something would break"),
).action(setupCommand);
for (const [name, description, action] of COMMANDS) {
  const command = withCommonOptions(program.command(name).description(description)).action(action);
  const onSource = SOURCE_COMMANDS.find((one) => one === name);
  if (onSource !== undefined)
    command
      .option("--source <checkout>", "work on the TypeScript sources in this folder instead of an installed OpenClaw")
      .action((options: SourceOptions) =>
        options.source === undefined ? action(options as never) : sourceCommand(onSource, options),
      );
  if (name === "apply" || name === "revert")
    command.option("--follow-links", "even if OpenClaw's dist is a symbolic link to a folder outside of its package");
  if (name === "apply")
    command
      .option("--prove", "prove it afterwards, and take the patch back if it fails; the default for unknown releases")
      .option("--no-prove", "do not prove it")
      .option("--patch <folder>", "with --source: write a series for git am there, and change nothing")
      .option("--dirty", "with --source: although the checkout has changes that are not committed")
      .option("--fork", "patch a fork or a build of your own as it is, if every essential patch point fits");
}
withCommonOptions(
  program
    .command("write-patches")
    .description("write the patch of the installed OpenClaw as files for patch-package")
    .argument("[folder]", "where patch-package looks for patches", "patches"),
).action(writePatchesCommand);
addRegisterCommands(program, withOutputOptions);
addSessionsCommands(program, { withCommonOptions, withOutputOptions });
withOutputOptions(
  program
    .command("why")
    .description("find the session and the message that a provider's error is about; changes nothing")
    .argument("[error...]", "the error as the log has it, in quotes; without it the text comes from standard input")
    .option("--agent <id>", "only sessions of this agent")
    .option("--content", "also show the first words of messages"),
).action(whyCommand);
addCheckpointsCommands(program, withCommonOptions);
addTimelineCommands(program, { withCommonOptions, withOutputOptions });
addContinuityCommands(program, withOutputOptions);
addPluginCommands(program, withCommonOptions);
addRoutesCommands(program, withOutputOptions);
addPurgeCommand(program, withOutputOptions);
addTestAgentCommand(program, withOutputOptions);
program
  .command("help")
  .description("display help for a command")
  .argument("[command...]")
  .option("--all", "list all commands, and what the exit codes mean")
  .action((words: readonly string[], { all = false }: { readonly all?: boolean }) =>
    all ? sayText(`${allCommands()}${ABOUT_ALL}\n`) : helpFor(words),
  );

for (const command of program.commands) addExample(command, command.name());

/** Ends the help of a command, or those of its commands, with an example. */
function addExample(command: Command, name: string): void {
  for (const one of command.commands) addExample(one, `${name} ${one.name()}`);
  const example = EXAMPLES.find((one) => one === name || one.startsWith(`${name} `));
  if (command.commands.length === 0 && example !== undefined)
    command.addHelpText("after", `\nExample:\n  openclaw-integrity ${example}`);
}

/** An unknown command with the commands of that name that a group has: `doctor` is `sessions doctor`. */
function withHint(message: string): string {
  const word = /unknown command '([^']+)'/.exec(message)?.[1];
  const names = program.commands
    .filter(({ commands }) => commands.some((one) => one.name() === word))
    .map((group) => `\`openclaw-integrity ${group.name()} ${word}\``);
  return names.length === 0 ? message : `error: unknown command '${word}'; it is ${names.join(" or ")}\n`;
}

/** Ends the process after help, the version or wrong usage, which a program that asked for JSON is told as JSON. */
function endUnparsed({ code, exitCode, message }: CommanderError): never {
  if (exitCode === 0) process.exit(EXIT.ok);
  const found =
    code === "commander.help"
      ? "expected a command; found none"
      : withHint(message)
          .replace(/^error: /, "")
          .trimEnd();
  if (process.argv.includes("--json")) printJson({ ok: false, code: "usage", message: found });
  process.exit(EXIT.usage);
}

/** Displays the help of the command that the words lead to. */
function helpFor(words: readonly string[]): void {
  let at: Command = program;
  for (const word of words) {
    const next = at.commands.find((command) => command.name() === word);
    at = next ?? at.error(`error: unknown command '${word}'`, { code: "commander.unknownCommand" });
  }
  at.help();
}

/** What is called without a command, and with options. */
export const withoutCommand = withCommonOptions(
  new Command("openclaw-integrity")
    .copyInheritedSettings(program)
    .description("what is wrong on this machine, and what to do next; changes no session"),
).action(frontDoor);

/** Adds the options that select OpenClaw, and those of the output. */
function withCommonOptions(command: Command): Command {
  return withOutputOptions(
    command
      .addOption(new Option("--path <path>", "OpenClaw's folder, a project's, or the file to start it"))
      .addOption(
        new Option(
          "--global",
          "the OpenClaw installed by npm -g, pnpm -g, yarn global or bun -g, or the command in PATH",
        ).conflicts("path"),
      ),
  );
}

function withOutputOptions(command: Command): Command {
  return command
    .addOption(new Option("--json", "print the outcome as JSON").conflicts("quiet"))
    .addOption(new Option("--quiet", "print refusals and warnings only"))
    .allowExcessArguments(false);
}
