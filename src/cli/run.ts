/** What all commands share: options, output of the outcome, exit codes. */
import { CodedError } from "../base/coded-error.ts";
import { fileTrouble } from "../base/file-trouble.ts";
import { writeCommandsFor } from "../base/commands/own-command.ts";
import { toReader, type Called } from "./reader.ts";
import { tellWaits } from "./waiting.ts";
import { complain, type Line, outputSetAside, printJson, say } from "../base/terminal.ts";

/**
 * 0: done, or nothing to do. 1: refused, nothing was changed; (prove) not proven; (test-agent) does not
 * conform. 2: wrong usage; (test-agent) could not be tested. 3: (status, explain)
 * not patched, or cannot be patched; (setup) a gateway that is started as before is not patched, or a rehearsed update
 * would break something; (sessions list, scan, show and doctor) faults were found or a session could not be read; (continuity status, resolve) one of several
 * projects could not be read; (sessions repair) done in part; (plugin status) not loaded.
 */
export const EXIT = { ok: 0, refused: 1, usage: 2, no: 3 } as const;

/** A command line whose arguments do not fit together. */
export class UsageError extends CodedError<"usage"> {
  override readonly name = "UsageError";

  constructor(message: string) {
    super("usage", message);
  }
}

/** Output options of every command. */
export interface OutputOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Options of a command that works with an installed OpenClaw. */
export interface CommonOptions extends OutputOptions {
  readonly path?: string;
  readonly global?: boolean;
}

/** Options of a command that changes OpenClaw's files. */
export interface SwapOptions extends CommonOptions {
  readonly followLinks?: boolean;
}

/** An outcome as data and as lines for a person. */
export interface Outcome {
  readonly data: Readonly<Record<string, unknown>>;
  readonly lines: readonly Line[];
  /** Warnings about a successful command; printed even with --quiet. */
  readonly warnings?: readonly string[];
  readonly exit?: (typeof EXIT)[keyof typeof EXIT];
}

/**
 * Runs a command, prints its outcome and sets the exit code. A CodedError and an error of the file system are
 * printed as refusals; any other error is rethrown.
 */
export function run(options: OutputOptions & Called, work: () => Outcome): void {
  begin(options);
  try {
    report(options, work());
  } catch (error) {
    refuse(options, error);
  }
}

/** {@link run} for an asynchronous command. */
export async function runAsync(options: OutputOptions & Called, work: () => Promise<Outcome>): Promise<void> {
  begin(options);
  try {
    report(options, await work());
  } catch (error) {
    refuse(options, error);
  }
}

function begin(options: OutputOptions & Called): void {
  writeCommandsFor(toReader(options));
  tellWaits(options);
}

function report(options: OutputOptions & Called, { data, lines, warnings = [], exit = EXIT.ok }: Outcome): void {
  const { json = false, quiet = false } = options;
  process.exitCode = exit;
  if (json) return printJson({ ok: exit === EXIT.ok, ...data, warnings });
  if (!quiet) say(lines);
  for (const warning of warnings) complain(`openclaw-integrity: warning: ${warning}`, "todo");
}

/** What OpenClaw printed before its code failed, which may tell why. */
export function complainOfOthers(): void {
  const lines = outputSetAside();
  if (lines.length > 0) complain("openclaw-integrity: OpenClaw printed:");
  for (const line of lines) complain(`  ${line}`);
}

function refuse(options: OutputOptions & Called, error: unknown): void {
  const { json = false } = options;
  const trouble = error instanceof CodedError ? error : fileTrouble(error);
  if (trouble === undefined) throw error;
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.refused;
  if (json) printJson({ ok: false, code: trouble.code, message: trouble.message });
  else if (error instanceof UsageError) complain(`openclaw-integrity: ${error.message}`, "bad");
  else {
    complain(`openclaw-integrity: refused (${trouble.code}): ${trouble.message}`, "bad");
    complainOfOthers();
  }
}
