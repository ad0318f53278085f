/**
 * The only output of the command line. Lines can contain foreign names (session keys, ids, tools, files) and foreign
 * error messages, so each one is shown by {@link visible}; no other code of the commands writes to these streams, except
 * by {@link standardOutput}. The guard, the plugin and the libraries write by `console-line.ts`.
 */
import { WriteStream } from "node:tty";
import { visible, visibleJson, visibleLines } from "./visible.ts";
import { wrappedSentence } from "./width.ts";

type Stream = NodeJS.WriteStream;
type Write = Stream["write"];

/** The original `write` of the streams that {@link setOtherOutputAside} has redirected. */
const originalWrites = new Map<Stream, Write>();

/** What a line says, beside its words: `bad`: refused or unprotected; `todo`: a person has to act; `good`: all is well. */
export type Tone = "bad" | "todo" | "good";

/** A line with the colour of what it says. */
export class Toned {
  readonly text: string;
  readonly tone: Tone;

  constructor(text: string, tone: Tone) {
    this.text = text;
    this.tone = tone;
  }

  /** The line without a colour. */
  toString(): string {
    return this.text;
  }
}

/** A line of output. */
export type Line = string | Toned;

/** Gives lines the colour of what they say; without a tone they stay as they are. */
export function toned(lines: readonly string[], tone: Tone | undefined): Line[] {
  return tone === undefined ? [...lines] : lines.map((line) => new Toned(line, tone));
}

/** Red, yellow and green of the terminal's own palette. */
const CODES: Readonly<Record<Tone, number>> = { bad: 31, todo: 33, good: 32 };

/**
 * A line as the stream gets it: in colour where the stream is a terminal that has some, or FORCE_COLOR asks for it.
 * Node's `util.styleText` is not in Node 20.0, and up to 20.17 colours pipes.
 */
function toOutput(line: Line, stream: Stream): string {
  if (typeof line === "string") return visible(line);
  // It heeds NO_COLOR, NODE_DISABLE_COLORS and TERM=dumb too, and is the same for each stream.
  const depth = stream.isTTY || process.env["FORCE_COLOR"] !== undefined ? WriteStream.prototype.getColorDepth() : 1;
  return depth > 2 ? `\u001b[${CODES[line.tone]}m${visible(line.text)}\u001b[39m` : visible(line.text);
}

/** Colour sequences of foreign output. */
// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001b\[[\d;]*m/g;

function write(stream: Stream, text: string, then?: () => void): void {
  if (stream.listenerCount("error") === 0) stream.on("error", unlessClosed);
  (originalWrites.get(stream) ?? stream.write).call(stream, text, "utf8", then);
}

/** Throws an error of writing, unless the reader has closed the pipe early, as `head` does. */
function unlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

/** Writes lines to standard output. A line feed within a line is shown as an escape and ends no line. */
export function say(lines: readonly Line[]): void {
  if (lines.length > 0) write(process.stdout, `${lines.map((line) => toOutput(line, process.stdout)).join("\n")}\n`);
}

/**
 * Writes a line to standard error: a refusal or a warning. A terminal gets it wrapped, a file or a pipe in one line.
 */
export function complain(line: string, tone?: Tone): void {
  const lines = toned(inTerminal(visible(line), columns("stderr")), tone);
  write(process.stderr, `${lines.map((one) => toOutput(one, process.stderr)).join("\n")}\n`);
}

/** A sentence as lines for standard output: wrapped at the width of a terminal, whole elsewhere. */
export function sentenceLines(sentence: string, indent?: string): string[] {
  return inTerminal(sentence, columns(), indent);
}

/** A narrower terminal is taken to be this wide. */
const LEAST_COLUMNS = 40;

function inTerminal(line: string, width: number | undefined, indent?: string): string[] {
  return width === undefined ? [line] : wrappedSentence(line, Math.max(LEAST_COLUMNS, width), indent);
}

/** Writes text of this project that contains its own line feeds, such as the help. */
export function sayText(text: string, where: "stdout" | "stderr" = "stdout"): void {
  write(process[where], visibleLines(text));
}

/**
 * Prints a value as JSON for a program. Characters that a terminal would act on are written as JSON escapes, so the
 * value stays the same.
 */
export function printJson(value: unknown): void {
  write(process.stdout, `${visibleJson(JSON.stringify(value, null, 2))}\n`);
}

/** Shows progress in a line of standard error that the next one overwrites. Only for {@link isTerminal}. */
export function showProgress(line: string): void {
  write(process.stderr, `\r${visible(line)}\r`);
}

/** Whether the stream is a terminal. */
export function isTerminal(where: "stdin" | "stdout" | "stderr"): boolean {
  return process[where].isTTY;
}

/** Columns of the terminal; undefined when the stream is none. */
export function columns(where: "stdout" | "stderr" = "stdout"): number | undefined {
  // Node leaves `columns` out when it is no terminal, despite its types.
  return process[where].columns as number | undefined;
}

/**
 * Standard output for data that is not shown to a person: the exact bytes of a backup or an export into a file or a
 * pipe, messages of the protocol MCP, or the line editor of a question. No foreign text may go to a terminal with it.
 */
export function standardOutput(): Stream {
  return originalWrites.has(process.stdout)
    ? (Object.create(process.stdout, {
        write: { value: originalWrites.get(process.stdout)!.bind(process.stdout) },
      }) as Stream)
    : process.stdout;
}

/** Calls `then` when everything written so far is flushed. */
export function whenSaid(then: () => void): void {
  write(process.stdout, "", then);
}

/** How much of what other code printed is kept: its last lines tell why it failed. */
const KEPT_LINES = 40;
const KEPT_COLUMNS = 500;
const aside: string[] = [];
let unended = "";

/**
 * Sets all other output of this process aside, whether it comes by the console or the streams themselves: code of
 * OpenClaw logs what concerns no user of this command. {@link outputSetAside} has the last of it. There is no way back,
 * because that code may have timers left.
 */
export function setOtherOutputAside(): void {
  if (originalWrites.size > 0) return;
  for (const stream of [process.stdout, process.stderr]) originalWrites.set(stream, stream.write);
  for (const stream of originalWrites.keys()) stream.write = keep as Write;
}

/** The last lines that other code printed, without colours; none before {@link setOtherOutputAside}. */
export function outputSetAside(): readonly string[] {
  return [...aside, unended].map((line) => line.trimEnd()).filter((line) => line !== "");
}

function keep(chunk: string | Uint8Array, encodingOrThen?: unknown, then?: unknown): boolean {
  const done = [encodingOrThen, then].find((one) => typeof one === "function") as (() => void) | undefined;
  const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
  const lines = `${unended}${text.replaceAll(COLOUR, "")}`.split("\n");
  unended = lines.pop()!.slice(-KEPT_COLUMNS);
  for (const line of lines.slice(-KEPT_LINES)) aside.push(line.slice(0, KEPT_COLUMNS));
  aside.splice(0, aside.length - KEPT_LINES);
  if (done !== undefined) process.nextTick(done);
  return true;
}
