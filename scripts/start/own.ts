import { readFileSync } from "node:fs";
import { basename } from "node:path";
import {
  toConversation,
  ENTRY_WORDS,
  examineLoaded,
  describeState,
  type Conversation,
} from "../../src/health/index.ts";
import { parseRows } from "../../src/store/catalog/parse-rows.ts";
import { isObject } from "../../src/transcript/json/json.ts";
import type { Violation } from "../../src/transcript/violations.ts";
import { usage } from "./arguments.ts";

/** A transcript of the user's own, and what is wrong with it. */
export interface OwnTranscript {
  name: string;
  text: string;
  /** How many messages a model would be sent. */
  messages: number;
  /** The state in a few words, as `sessions show` gives it: `3 faults`. */
  state: string;
  /** What is wrong with the file itself, whatever its messages say. */
  damage: string[];
  violations: LocatedViolation[];
}

/** A violation with the line of the file that its message is on; undefined when the message had to be made readable. */
export interface LocatedViolation extends Violation {
  line: number | undefined;
}

/**
 * Reads a transcript, and examines it as `openclaw-integrity sessions show` does. Throws a UsageError when there is none
 * in the file. Nothing is written anywhere.
 */
export function readOwn(path: string): OwnTranscript {
  const text = readOwnFile(path);
  const stored = parseRows(text);
  if (!stored.rows.some(isOfSession)) {
    const found = stored.rows.some(isObject)
      ? "JSON objects, none of which is of a session"
      : "no line that is a JSON object";
    throw usage({
      expected: `a session of OpenClaw in ${path}: one JSON object a line, with a type, a message or a role`,
      found: text.trim() === "" ? "an empty file" : found,
      todo:
        "Sessions of releases before 2026.8 are in agents/<agent>/sessions/*.jsonl of OpenClaw's state folder; later ones " +
        "are rows of its database, which `openclaw-integrity sessions show` reads.",
    });
  }
  const conversation = toConversation(stored, { sessionId: "own", kind: "file" });
  const examination = examineLoaded(stored, conversation);
  const { messages, entries, violations, unreadable, torn } = examination;
  const damage = entries.map((kind) => ENTRY_WORDS[kind]);
  if (unreadable > 0)
    damage.push(`${unreadable} line${unreadable === 1 ? " that is" : "s that are"} not JSON, which OpenClaw skips`);
  if (torn > 0) damage.push(`a last line that was cut off after ${torn} bytes, which OpenClaw skips`);
  const findLine = makeLineFinder(text, conversation);
  return {
    name: basename(path),
    text,
    messages,
    state: describeState(examination),
    damage,
    violations: violations.map((violation) => ({ ...violation, line: findLine(violation.messageIndex) })),
  };
}

/** Whether a row may be one of a session, in whatever form: OpenClaw's entries have a type, bare messages a role. */
function isOfSession(row: unknown): boolean {
  return isObject(row) && ["type", "message", "role"].some((field) => Object.hasOwn(row, field));
}

function readOwnFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const found: Record<string, string> = {
      ENOENT: "no such file",
      EACCES: "a file that may not be read",
      EISDIR: "a folder",
    };
    throw usage({
      expected: `a transcript in ${path}`,
      found: found[code] ?? code,
      todo: "Give the path of a session's .jsonl file.",
    });
  }
}

/** Gives the line of a message: by its words as they stand in the file, or by the id of the row that holds it. */
function makeLineFinder(text: string, { messages, path }: Conversation): (messageIndex: number) => number | undefined {
  const byId = new Map<unknown, number>();
  const byMessage = new Map<string, number>();
  for (const [at, line] of text.split("\n").entries()) {
    let row: unknown;
    try {
      row = JSON.parse(line);
    } catch {
      continue;
    }
    if (!isObject(row)) continue;
    const message = JSON.stringify(row["message"]);
    if (message !== undefined && !byMessage.has(message)) byMessage.set(message, at + 1);
    if (row["id"] !== undefined && !byId.has(row["id"])) byId.set(row["id"], at + 1);
  }
  const rowOf = new Map(path.map((row) => [row["message"], row]));
  return (index) => {
    const message = messages[index];
    return byId.get(rowOf.get(message)?.["id"]) ?? byMessage.get(JSON.stringify(message));
  };
}
