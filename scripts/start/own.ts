import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { repairEntries } from "../../src/transcript/entries.ts";
import { validate, type Violation } from "../../src/transcript/index.ts";
import { isObject, type JsonObject } from "../../src/transcript/json/json.ts";
import { usage } from "./arguments.ts";

/** A transcript of the user's own, and what is wrong with it. */
export interface OwnTranscript {
  name: string;
  text: string;
  /** How many messages the live branch has. */
  messages: number;
  /** What is wrong with the file itself, whatever its messages say. */
  damage: string[];
  violations: LocatedViolation[];
}

/** A violation with the line of the file that its message is on; undefined when the message had to be made readable. */
export interface LocatedViolation extends Violation {
  line: number | undefined;
}

/** Reads a transcript; throws a UsageError when there is none in the file. Nothing is written anywhere. */
export function readOwn(path: string): OwnTranscript {
  const text = textOf(path);
  const { rows, lineOf, torn } = rowsOf(text);
  if (rows.length === 0) {
    throw usage({
      expected: `a session of OpenClaw in ${path}: one JSON object a line`,
      found: text.trim() === "" ? "an empty file" : "no line that is a JSON object",
      todo: "Sessions of releases before 2026.8 are in agents/<agent>/sessions/*.jsonl of OpenClaw's state folder.",
    });
  }
  const { entries, violations } = repairEntries(rows, { sessionId: "own", cwd: "/" });
  const live = liveRows(entries);
  const messages = live.map((row) => row["message"]);
  const damage: string[] = violations.map((kind) => kind.replaceAll("_", " "));
  if (torn > 0) damage.push(`${torn} line${torn === 1 ? " that is" : "s that are"} no JSON`);
  const located = validate(messages).map((violation) => {
    const row = live[violation.messageIndex];
    // A message that had to be made readable is another object, but its row still has its id.
    return { ...violation, line: lineOf.get(row?.["message"]) ?? lineOf.get(row?.["id"]) };
  });
  return { name: basename(path), text, messages: messages.length, damage, violations: located };
}

function textOf(path: string): string {
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

/** Every line that is JSON, and the numbers of the lines by message and by row id. */
function rowsOf(text: string): { rows: unknown[]; lineOf: Map<unknown, number>; torn: number } {
  const rows: unknown[] = [];
  const lineOf = new Map<unknown, number>();
  let torn = 0;
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      const row: unknown = JSON.parse(line);
      rows.push(row);
      if (!isObject(row)) continue;
      lineOf.set(row["message"], at + 1);
      if (!lineOf.has(row["id"])) lineOf.set(row["id"], at + 1);
    } catch {
      torn++;
    }
  }
  return { rows: rows.some(isObject) ? rows : [], lineOf, torn };
}

/** The rows of messages from the root of the tree to its last row, which is where OpenClaw goes on. */
function liveRows(entries: readonly unknown[]): JsonObject[] {
  const rows = entries.filter((row) => isObject(row) && row["type"] !== "session").filter(isObject);
  const byId = new Map(rows.map((row) => [row["id"], row]));
  const branch: JsonObject[] = [];
  for (let row = rows.at(-1); row; row = byId.get(row["parentId"])) {
    byId.delete(row["id"]);
    if (row["type"] === "message") branch.push(row);
  }
  return branch.toReversed();
}
