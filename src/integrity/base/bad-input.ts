/** Refuses arguments of a wrong kind, by name, before a function of the library does anything. */
import { quotedInline } from "../../base/quoted.ts";
import type { Journal } from "../../journal/journal.ts";
import { isObject } from "../../transcript/json/json.ts";
import { integrityError } from "./errors.ts";
import type { Session } from "./session.ts";
import type { MessageFormat } from "./types.ts";

/** The formats in which a session can store its messages. */
const MESSAGE_FORMATS: readonly MessageFormat[] = ["anthropic", "openclaw"];

/** Returns a few words on a value of any kind, for an error message: of a text its beginning. */
export function describeKind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : typeof value === "string" ? quotedInline(value, 80) : typeof value;
}

/** Builds the error for an argument that a function cannot use. */
export function badInput(expected: string, found: string, todo: string): Error {
  return integrityError("bad-input", { expected, found, todo });
}

/** Throws an IntegrityError `bad-input` for a format that no session has. */
export function assertFormat(format: unknown): asserts format is MessageFormat {
  if (MESSAGE_FORMATS.includes(format as MessageFormat)) return;
  throw badInput(
    `in \`format\` the form of the messages, ${MESSAGE_FORMATS.map((name) => JSON.stringify(name)).join(" or ")}`,
    describeKind(format),
    'Pass the one in which the program appends messages. For other APIs, such as OpenAI\'s, use "anthropic" and ' +
      "gate.heal of guardCall.",
  );
}

/** Methods that a session must have; the others are checked by the compiler only. */
const SESSION_METHODS = ["append", "persistToolCycle", "moveLeaf", "replaceMessages", "reload"] as const;

/** Throws an IntegrityError `bad-input` for a value that is no session. */
export function assertSession(session: unknown): asserts session is Session {
  const found = isObject(session) ? describeProblem(session) : describeKind(session);
  if (found === undefined) return;
  throw badInput(
    "a session: an object with an id, a format, messages and the methods of the interface Session",
    found,
    "Pass a MemorySession, a JsonlSession, an OpenClawSession, or an object of your own that has all of that. " +
      "Nothing was done.",
  );
}

function describeProblem(session: Record<string, unknown>): string | undefined {
  if (typeof session.id !== "string" || session.id === "") return `an object whose id is ${describeKind(session.id)}`;
  if (!MESSAGE_FORMATS.includes(session.format as MessageFormat))
    return `an object whose format is ${describeKind(session.format)}`;
  if (!Array.isArray(session.messages)) return `an object whose messages are ${describeKind(session.messages)}`;
  const missing = SESSION_METHODS.find((name) => typeof session[name] !== "function");
  return missing === undefined ? undefined : `an object without a method ${missing}`;
}

/** Throws an IntegrityError `bad-config` for a value that is no open journal. */
export function assertJournal(journal: unknown): asserts journal is Journal {
  if (isObject(journal) && isObject(journal.cycles) && isObject(journal.checkpoints) && isObject(journal.incidents))
    return;
  throw integrityError("bad-config", {
    expected: "an open journal in `journal`",
    found: describeKind(journal),
    todo: "Pass what openJournal or openSoundJournal returned: createSessionIntegrity({ journal }).",
  });
}

/** Throws an IntegrityError `bad-input` unless the options of a function are an object or left out. */
export function assertOptions(name: string, options: unknown): void {
  if (options === undefined || isObject(options)) return;
  throw badInput(
    `an object with the options of ${name}, or nothing`,
    describeKind(options),
    "Leave the argument out, or pass an object. Nothing was done.",
  );
}

/** Throws an IntegrityError `bad-input` for messages that are no list. */
export function assertMessages(messages: unknown): asserts messages is readonly unknown[] {
  if (Array.isArray(messages)) return;
  throw badInput("a list of messages", describeKind(messages), "Put a single message into a list. Nothing was stored.");
}

/** Throws an IntegrityError `bad-input` for a session id that is no text. */
export function assertId(id: unknown): asserts id is string {
  if (typeof id === "string" && id !== "") return;
  throw badInput(
    "an id of the session: a text that is not empty",
    describeKind(id),
    "Pass { id }. The journal knows the session by it: use the same one in each process.",
  );
}

/** Throws an IntegrityError `bad-input` for a value that is none of a few words. */
export function assertWord(name: string, value: unknown, words: readonly string[]): void {
  if (typeof value === "string" && words.includes(value)) return;
  throw badInput(`${name}: ${words.join(", ")}`, describeKind(value), "Pass one of these. Nothing was done.");
}

/** Throws an IntegrityError for a value that is no function. */
export function assertFunction(what: string, value: unknown, code: "bad-input" | "bad-config" = "bad-input"): void {
  if (typeof value === "function") return;
  throw integrityError(code, {
    expected: what,
    found: describeKind(value),
    todo: "Pass a function. Nothing was done.",
  });
}
