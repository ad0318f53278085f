import { QUOTE_MARK } from "../base/quoted.ts";
import { addsNothing, originOfResult } from "./invented.ts";
import { isObject, type JsonObject } from "./json/json.ts";
import { readOrigin } from "./origin.ts";

/** Names a message from request to request: the id of a result's call, or when a message was made and by whom. */
type Key = string | number;

/** A message that was in a request: how long its text was, and a hash of it. No words are kept. */
interface Piece {
  readonly role: SaidRole;
  readonly length: number;
  readonly hash: number;
  /** The result of a tool, and not a text in place of one. */
  readonly isReal: boolean;
  /** The number of the last comparison that has found the piece. */
  seen: number;
}

export type SaidRole = "user" | "assistant" | "toolResult";

/** A message that was in a request and is not in this one. */
export interface Forgotten {
  readonly key: Key;
  readonly role: SaidRole;
  /**
   * Names what the message said, as {@link wordsKey} does: OpenClaw sends some results under another id than it stores.
   */
  readonly words: string;
  /** The call's result is there under its id, and is now a text in place of one. */
  readonly isReplaced: boolean;
}

// Of the oldest ones above it nothing is known any more: some 100 bytes each.
const MAX_PIECES = 5000;
// Texts of missing messages are looked for in all others. More of them than this are missing for one reason.
const MAX_LOOKED_FOR = 32;
// Messages that OpenClaw puts together or has yet to give their time are among the last ones.
const MAX_RECENT = 20;
const ROLES: readonly SaidRole[] = ["user", "assistant", "toolResult"];
const BASE = 16_777_619;
/** The time that OpenClaw puts before a person's words; it is not there where it has joined two messages. */
const STAMP = /^\[[^\]\n]{1,80}\] /;

/**
 * What was in requests of a session that a provider has accepted: which messages, with the length and a hash of each
 * text. A request is compared with it in one pass without reading the texts of known messages.
 */
export class SaidBefore {
  readonly #pieces = new Map<Key, Piece>();
  #round = 0;
  #due: { key: Key; message: JsonObject }[] = [];

  /** True before anything was accepted. */
  get isEmpty(): boolean {
    return this.#pieces.size === 0;
  }

  /**
   * Returns what was in an earlier request and is not in this one, neither as a message nor within the text of another,
   * each once. What is new counts as said once it is {@link accept}ed.
   */
  compare(messages: readonly unknown[]): Forgotten[] {
    const round = ++this.#round;
    const due: { key: Key; message: JsonObject }[] = [];
    const replaced: [Key, Piece][] = [];
    let found = 0;
    for (const message of messages) {
      const key = messageKey(message);
      if (key === undefined) continue;
      const piece = this.#pieces.get(key);
      if (piece === undefined) due.push({ key, message: message as JsonObject });
      else {
        if (piece.seen !== round) found++;
        piece.seen = round;
        if (piece.isReal && (message as JsonObject).isError === true && addsNothing(message as JsonObject))
          replaced.push([key, piece]);
      }
    }
    this.#due = due;
    if (found === this.#pieces.size && replaced.length === 0) return [];
    const gone = [...this.#pieces].filter(([, { seen }]) => seen !== round);
    for (const [key] of [...gone, ...replaced]) this.#pieces.delete(key);
    return [...lost(this.#moved(gone), messages, false), ...lost(replaced, messages, true)];
  }

  /**
   * Returns the missing pieces that are no new message as a whole either: OpenClaw 2026.9 gives a message another time
   * when its turn is over.
   */
  #moved(gone: readonly [Key, Piece][]): [Key, Piece][] {
    if (gone.length === 0) return [];
    const found = new Set(this.#due.map(({ message }) => wordsKey(message)));
    return gone.filter(([, piece]) => !found.has(toWordsKey(piece)));
  }

  /**
   * Counts what was compared last as said. `stored` returns the messages of the transcript, on its path or beside it,
   * where all that users say is there by then: of users, only what is stored counts, alone or within a text. All else
   * is OpenClaw's own word to the model, for one turn.
   */
  accept(stored?: () => readonly unknown[]): void {
    const isAsked = stored !== undefined && this.#due.some(({ message }) => message.role === "user");
    const users = isAsked ? stored().filter((message) => isObject(message) && message.role === "user") : [];
    const keys = new Set(users.map(messageKey));
    const recent = users.slice(-MAX_RECENT);
    const due = this.#due.flatMap(({ key, message }) => {
      if (!isAsked || message.role !== "user" || keys.has(key)) return [{ key, message }];
      const text = readSaid(message);
      return recent
        .filter((one) => text.includes(saidIn(one)))
        .map((one) => ({ key: messageKey(one) ?? key, message: one as JsonObject }));
    });
    for (const { key, message } of due) {
      const text = saidIn(message);
      const { inWords, passing } = readOrigin(message);
      // What stands in words for a refused form is said in its own form otherwise.
      if (text === "" || inWords || passing) continue;
      const role = toSaidRole(message);
      const isReal = role === "toolResult" && originOfResult(message) === "real";
      this.#pieces.set(key, {
        role,
        length: text.length,
        hash: hashStart(text, text.length),
        isReal,
        seen: this.#round,
      });
    }
    this.#due = [];
    const extra = this.#pieces.size - MAX_PIECES;
    if (extra > 0) for (const key of [...this.#pieces.keys()].slice(0, extra)) this.#pieces.delete(key);
  }

  /** Forgets all: the conversation begins anew. */
  clear(): void {
    this.#pieces.clear();
    this.#due = [];
  }
}

/** Returns the name of a message in OpenClaw's form; undefined for one without a time, which has none that lasts. */
export function messageKey(message: unknown): Key | undefined {
  if (!isObject(message)) return undefined;
  const { role, timestamp, toolCallId } = message;
  if (role === "toolResult") return typeof toolCallId === "string" ? toolCallId : undefined;
  if (typeof timestamp !== "number" || !Number.isSafeInteger(timestamp * 2)) return undefined;
  return role === "user" ? timestamp * 2 : role === "assistant" ? timestamp * 2 + 1 : undefined;
}

/** Names a message by what it says; the same for messages that say the same. */
export function wordsKey(message: unknown): string {
  const text = saidIn(message);
  return toWordsKey({ length: text.length, hash: hashStart(text, text.length) });
}

function toWordsKey({ length, hash }: Pick<Piece, "length" | "hash">): string {
  return `${length} ${hash}`;
}

/** Returns the missing messages whose text is within none of the messages. */
function lost(missing: readonly [Key, Piece][], messages: readonly unknown[], isReplaced: boolean): Forgotten[] {
  if (missing.length === 0) return [];
  // What is quoted to the model has a mark before each line.
  const texts = messages.map(readSaid).flatMap((text) => [text, text.replaceAll(`\n${QUOTE_MARK}`, "\n")]);
  return missing
    .slice(-MAX_LOOKED_FOR)
    .filter(([, piece]) => !texts.some((text) => contains(text, piece)))
    .map(([key, piece]) => ({ key, role: piece.role, words: toWordsKey(piece), isReplaced }));
}

/** The words by which a message is known again. */
function saidIn(message: unknown): string {
  return readSaid(message).trim().replace(STAMP, "");
}

function toSaidRole({ role }: JsonObject): SaidRole {
  return ROLES.find((one) => one === role) ?? "toolResult";
}

/** What a message says in words: not its thinking, calls and pictures. */
function readSaid(message: unknown): string {
  const content = isObject(message) ? message.content : undefined;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  let text = "";
  for (const block of content) if (isObject(block) && typeof block.text === "string") text += block.text;
  return text;
}

/** The polynomial of the first characters, whose value for a window can be moved by one character. */
function hashStart(text: string, length: number): number {
  let hash = 0;
  for (let at = 0; at < length; at++) hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
  return hash;
}

/** Whether a text of this length and hash is within another one. */
function contains(text: string, { length, hash: wanted }: Piece): boolean {
  if (length > text.length) return false;
  let power = 1;
  for (let at = 1; at < length; at++) power = Math.imul(power, BASE);
  let hash = hashStart(text, length);
  for (let end = length; ; end++) {
    if (hash === wanted) return true;
    if (end === text.length) return false;
    hash = (Math.imul(hash - Math.imul(text.charCodeAt(end - length), power), BASE) + text.charCodeAt(end)) | 0;
  }
}
