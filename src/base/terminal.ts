/**
 * The one way from the command line to the terminal. What it says may name what others chose: session keys, ids, names
 * of tools and files, words of an error from below. So each line is shown by {@link visible}, wherever it comes from;
 * nothing else of this project writes to these streams.
 */
import { visible, visibleJson, visibleLines } from "./visible.ts";

type Stream = NodeJS.WriteStream;
type Write = Stream["write"];

/** How the streams write, where others write to them by way of {@link foreignToStandardError}. */
const own = new Map<Stream, Write>();

/** The colours of others. */
// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001b\[[\d;]*m/g;

function write(stream: Stream, text: string, then?: () => void): void {
  if (stream.listenerCount("error") === 0) stream.on("error", unlessClosed);
  (own.get(stream) ?? stream.write).call(stream, text, "utf8", then);
}

/** Whoever read it may have seen enough, as `head` does. */
function unlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

/** Says lines on standard output. A line feed within one of them is shown, and ends no line. */
export function say(lines: readonly string[]): void {
  if (lines.length > 0) write(process.stdout, `${lines.map(visible).join("\n")}\n`);
}

/** Says a line on standard error: a refusal or a warning. */
export function complain(line: string): void {
  write(process.stderr, `${visible(line)}\n`);
}

/** Says text of ours that has lines and ends itself, such as the help. */
export function sayText(text: string, where: "stdout" | "stderr" = "stdout"): void {
  write(process[where], visibleLines(text));
}

/**
 * Prints a value as JSON for a program; what a terminal would act on is escaped as JSON does, and the value is the
 * same.
 */
export function printJson(value: unknown): void {
  write(process.stdout, `${visibleJson(JSON.stringify(value, null, 2))}\n`);
}

/**
 * Shows how far the work is, in a line of standard error that the next one is written over. Only for {@link
 * isTerminal}.
 */
export function showProgress(line: string): void {
  write(process.stderr, `\r${visible(line)}\r`);
}

/** Whether a person is at the other end. */
export function isTerminal(where: "stdin" | "stdout" | "stderr"): boolean {
  return process[where].isTTY;
}

/** How many columns a line has; undefined where nobody says. */
export function columns(): number | undefined {
  // Not a terminal: Node leaves it out, whatever its types say.
  return process.stdout.columns as number | undefined;
}

/**
 * Standard output for what is no text for a person: JSON lines that are `visibleJson`, or a question's line editor.
 * Foreign text must not go there.
 */
export function standardOutput(): Stream {
  return own.has(process.stdout)
    ? (Object.create(process.stdout, { write: { value: own.get(process.stdout)!.bind(process.stdout) } }) as Stream)
    : process.stdout;
}

/** Calls `then` when all that was said is out. */
export function whenSaid(then: () => void): void {
  write(process.stdout, "", then);
}

/**
 * From now on, what other code of this process writes, to the console or to the streams themselves, goes to standard
 * error, without its colours and each line by {@link visible}: standard output is for the outcome. It stays so, since
 * that code may have timers left.
 */
export function foreignToStandardError(): void {
  if (own.size > 0) return;
  for (const stream of [process.stdout, process.stderr]) own.set(stream, stream.write);
  for (const stream of own.keys()) stream.write = writeForeign as Write;
}

function writeForeign(chunk: string | Uint8Array, encodingOrThen?: unknown, then?: unknown): boolean {
  const done = [encodingOrThen, then].find((one) => typeof one === "function") as (() => void) | undefined;
  const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
  write(process.stderr, visibleLines(text.replaceAll(COLOUR, "")), done);
  return true;
}
