/** The commands of this package in texts for people: as the reader has to type them. */
import { shellWord } from "./shell-word.ts";

/** Each command that a text names, and whether it takes `--path` and `--global`. */
export const OWN_COMMANDS = {
  apply: true,
  status: true,
  prove: true,
  revert: true,
  explain: true,
  "write-patches": true,
  setup: true,
  run: false,
  "service install": false,
  "service remove": false,
  "plugin install": true,
  "plugin uninstall": true,
  "sessions list": false,
  "sessions scan": false,
  "sessions show": false,
  "sessions doctor": true,
  "sessions repair": true,
  "sessions restore": true,
  "checkpoints list": true,
  "checkpoints show": true,
  "timeline files": false,
  "timeline log": false,
  "timeline rewind": true,
  "continuity backup": false,
  "continuity confirm": false,
  "continuity resolve": false,
  "continuity restore": false,
  "continuity status": false,
  "continuity task release": false,
  "continuity verify": false,
  help: false,
  purge: false,
  routes: false,
} as const satisfies Readonly<Record<string, boolean>>;

type OwnCommand = keyof typeof OWN_COMMANDS;

/** How the reader starts this package, and which OpenClaw is meant. */
export interface Reader {
  /**
   * The words before the command's name, with a blank at the end; empty where a shell finds the command by its name.
   */
  readonly starter: string;
  readonly path?: string;
  readonly global?: boolean;
}

interface OwnArguments {
  readonly options?: readonly string[];
  readonly argument?: string | readonly string[];
  /** The folder of the OpenClaw that is meant, where the reader's own options name none, another or several. */
  readonly path?: string;
}

// npx finds the command wherever it is installed: what a gateway or a library says is read in an unknown shell.
let reader: Reader = { starter: "npx " };

/** The options that name the opened store of recorded work. */
let storeOfWork: readonly string[] = [];
const STORE_OPTIONS: ReadonlySet<string> = new Set(["--store", "--file", "--postgres"]);

/** From now on printed commands on recorded work name this store, unless their own options name another one. */
export function setStoreForPrintedCommands(store: readonly string[]): void {
  storeOfWork = store;
}

/** From now on texts of this process name commands for this reader. Only the command line knows who reads. */
export function writeCommandsFor(to: Reader): void {
  reader = to;
}

/**
 * Returns a command of this package, to be pasted into a POSIX shell: with the reader's way to start it, and for the
 * same OpenClaw and store of recorded work. `options` and `argument` are quoted; an argument that begins with a dash is
 * not taken for an option.
 */
export function ownCommand(
  command: OwnCommand,
  { options = [], argument, path = reader.path }: OwnArguments = {},
): string {
  const { starter, path: given, global = false } = reader;
  const words = typeof argument === "string" ? [argument] : (argument ?? []);
  const which = path === given && global ? ["--global"] : path === undefined ? [] : ["--path", path];
  return [
    `${starter}openclaw-integrity ${command}`,
    ...(OWN_COMMANDS[command] ? which : []).map((word) => shellWord(withoutFinalDot(word))),
    ...[...storeFor(command, options), ...options].map(shellWord),
    ...(words.some((word) => word.startsWith("-")) ? ["--"] : []),
    ...words.map(shellWord),
  ].join(" ");
}

/** A folder `.` as `./`, which means the same when the full stop of a sentence is pasted with it. */
function withoutFinalDot(word: string): string {
  return /(?:^|\/)\.{1,2}$/.test(word) ? `${word}/` : word;
}

/**
 * Returns the words that name the open store, for a `continuity` command whose options name none. Where the options
 * name a project, the store's own `--project <id>` is left out.
 */
function storeFor(command: OwnCommand, options: readonly string[]): readonly string[] {
  if (!command.startsWith("continuity ") || options.some((word) => STORE_OPTIONS.has(word))) return [];
  const at = options.includes("--project") ? storeOfWork.indexOf("--project") : -1;
  return at < 0 ? storeOfWork : storeOfWork.toSpliced(at, 2);
}
