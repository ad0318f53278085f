import { Command, CommanderError, Option } from "commander";
import { isRelease, LATEST, RELEASES, type Release } from "../../src/patching/base/releases.ts";
import type { ModelApi } from "../../harness/corpus/case.ts";
import { ALL_APIS, findApi, SHORT_NAMES } from "./apis.ts";

/** The two ways in which an OpenClaw is patched. */
export const WAYS = ["apply", "register"] as const;
export type Way = (typeof WAYS)[number];

/** What the user asked for. */
export interface StartOptions {
  /** Undefined: what is installed for the tour, else the latest. */
  releases: Release[] | undefined;
  /** Only cases whose id or short title this finds. */
  only?: RegExp;
  /** The APIs to run on; undefined is all. */
  apis?: ModelApi[];
  /** Every case on every API that it concerns. */
  all: boolean;
  /** Whether the unpatched OpenClaw runs too. */
  stock: boolean;
  /** How the patched OpenClaw is patched: its files, or in memory by `openclaw-integrity/register`. */
  way: Way;
  /** Whether the errors of all bricked runs are shown. */
  errors: boolean;
  /** How long a turn may take, in milliseconds. */
  turnTimeoutMs: number;
  /** Where the JSON report goes: a file, or `true` for standard output. */
  json?: string | true;
  /** A transcript of the user's own. */
  session?: string;
}

/** The command line (or what it names) cannot be used: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Builds the three-part message that the user sees. */
export function usage(parts: { expected: string; found: string; todo: string }): UsageError {
  return new UsageError(`expected ${parts.expected}; found ${parts.found}. ${parts.todo}`);
}

/** What parseArguments gives: options, or the text that was asked for with --help. */
export type Parsed = { options: StartOptions } | { help: string };

interface RawOptions {
  release?: string;
  patience: string;
  only?: string;
  api?: string[];
  all?: boolean;
  stock: boolean;
  way: Way;
  errors?: boolean;
  json?: string | true;
}

/** Reads the command line; throws a UsageError that says what is wrong with it. */
export function parseArguments(argv: readonly string[]): Parsed {
  let printed = "";
  const command = buildCommand().configureOutput({ writeOut: (text) => (printed += text), writeErr: () => undefined });
  try {
    command.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return { help: printed };
    throw new UsageError(error.message.replace(/^error: /, ""), { cause: error });
  }
  return { options: checked(command.opts<RawOptions>(), command.args[0]) };
}

function buildCommand(): Command {
  return new Command("npm start --")
    .description(
      "Runs corrupt sessions through the real OpenClaw, unpatched and patched, against strict providers on loopback, and " +
        "shows what became of two messages in each: one session for each kind of fault, or all of them with --all.",
    )
    .argument("[session.jsonl]", "a transcript of your own instead of the corpus; it is only read")
    .option(
      "--release <release>",
      `${RELEASES.map(({ release }) => release).join(", ")} or all; without it what is installed, with --all, --only, --api or a transcript ${LATEST}`,
    )
    .option("--only <regexp>", "all cases whose id or short title matches, each on one of its APIs")
    .option(
      "--api <name>",
      `only on this API, may be given more than once: ${Object.values(SHORT_NAMES).join(", ")}`,
      (name, names: string[] = []) => [...names, name],
    )
    .option("--all", "every case on every API that it concerns; takes a quarter of an hour for each release")
    .option("--no-stock", "only the patched OpenClaw")
    .addOption(
      new Option(
        "--way <way>",
        "apply: OpenClaw's files are patched; register: they are not changed, and Node gets them patched from memory",
      )
        .choices(WAYS)
        .default("apply"),
    )
    .option("--errors", "show the error of every bricked run")
    .option("--patience <seconds>", "how long one turn may take before it counts as timed out", "60")
    .option("--json [file.json]", "write the whole report as JSON; without a file it is printed instead (use npm -s)")
    .allowExcessArguments(false)
    .exitOverride();
}

function checked(raw: RawOptions, session: string | undefined): StartOptions {
  const { all = false, stock, way, errors = false } = raw;
  const releases = raw.release === undefined ? undefined : parseReleases(raw.release);
  const options: StartOptions = { releases, all, stock, way, errors, turnTimeoutMs: parsePatience(raw.patience) };
  if (raw.only !== undefined) options.only = parsePattern(raw.only);
  if (raw.api !== undefined) options.apis = raw.api.map(parseApi);
  if (raw.json !== undefined) options.json = jsonTarget(raw.json);
  if (session !== undefined) options.session = session;
  if (session !== undefined && raw.only !== undefined) {
    throw usage({
      expected: "--only or a transcript",
      found: "both",
      todo: "--only chooses cases of the corpus; leave it out.",
    });
  }
  return options;
}

/** Whether the short tour is shown: nothing says which cases, or on what. */
export function isTour({ all, only, apis, session }: StartOptions): boolean {
  return !all && only === undefined && apis === undefined && session === undefined;
}

function parsePatience(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== "" && seconds > 0 && seconds <= 86_400) return Math.ceil(seconds * 1000);
  throw usage({ expected: "a number of seconds after --patience", found: text, todo: "For instance --patience 120." });
}

function parseReleases(name: string): Release[] {
  if (name === "all") return RELEASES.map(({ release }) => release);
  if (isRelease(name)) return [name];
  const known = RELEASES.map(({ release }) => release).join(", ");
  throw usage({ expected: `--release ${known} or all`, found: name, todo: "Only these have a patch to be shown." });
}

function parsePattern(text: string): RegExp {
  try {
    return new RegExp(text, "i");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usage({
      expected: "a regular expression after --only",
      found: reason,
      todo: "Put it in quotes, and a backslash before special characters.",
    });
  }
}

function parseApi(name: string): ModelApi {
  const api = findApi(name);
  if (api) return api;
  throw usage({
    expected: `--api with one of ${Object.values(SHORT_NAMES).join(", ")} (or ${ALL_APIS.join(", ")})`,
    found: name,
    todo: "Choose one of these.",
  });
}

/** A report must never be written over the transcript that `--json session.jsonl` would name. */
function jsonTarget(target: string | true): string | true {
  if (target === true || target.endsWith(".json")) return target;
  throw usage({
    expected: "a file that ends in .json after --json",
    found: target,
    todo: "Put a transcript before the options: npm start -- session.jsonl --json",
  });
}
