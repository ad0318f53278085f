import { isObject, type JsonObject } from "./json/json.ts";
import { shortId } from "./json/hash.ts";

/**
 * Who wrote what in a history. Words tell nothing: a person can type a notice of ours, and a model can be asked to
 * repeat one. What this project writes into a message is marked in a field beside the content, which no model, tool or
 * person of a conversation can write.
 */

/**
 * The field of a message in which this project says what of it is its own. OpenClaw stores the field and sends it to no
 * provider.
 */
export const ORIGIN_FIELD = "openclawIntegrity";

/** What an assistant's message of ours is: no model said a word of it, or only the beginning. */
export type NoticeKind =
  /** A content filter stopped the answer. */
  | "stopped"
  /** The answer was cut off at a limit. */
  | "cut_short"
  /** The history was put aside. */
  | "reset"
  /** The provider refuses every request. */
  | "refused";

/**
 * What is not sent to a provider again: `results`: results of tools before this message; `all`: everything that was
 * said before it since the last answer. `history`: the answer was made without what had been said before, which may be
 * sent again.
 */
export type Withheld = "results" | "all" | "history";

/** What an invented result of a tool call says: see KnownOutcome. */
export type InventedOutcome = "unknown" | "interrupted" | "not_started";

/** What the field of a message says. */
export interface Origin {
  notice?: NoticeKind;
  /** For {@link Origin.notice} `reset`: which reset the notice tells of. */
  resetId?: string;
  withholds?: Withheld;
  /** The next message of the user's was written by the guard: a word to the agent, to find another way. */
  hinted?: true;
  /** The message is a tool's result that no tool gave. */
  result?: InventedOutcome;
  /** Texts of the message in which tool traffic is told in words, by their hashes. */
  inWords?: readonly string[];
}

const NOTICES: ReadonlySet<unknown> = new Set<NoticeKind>(["stopped", "cut_short", "reset", "refused"]);
const WITHHELD: ReadonlySet<unknown> = new Set<Withheld>(["results", "all", "history"]);
const OUTCOMES: ReadonlySet<unknown> = new Set<InventedOutcome>(["unknown", "interrupted", "not_started"]);
const NOTHING: Origin = {};

/**
 * What this project has marked in a message; nothing for any other message, whatever its words are. Allocates nothing
 * where there is no mark.
 */
export function originOf(message: unknown): Origin {
  const field = isObject(message) ? message[ORIGIN_FIELD] : undefined;
  if (!isObject(field)) return NOTHING;
  const { notice, resetId, withholds, hinted, result, inWords } = field;
  return {
    ...(NOTICES.has(notice) && { notice: notice as NoticeKind }),
    ...(typeof resetId === "string" && { resetId }),
    ...(WITHHELD.has(withholds) && { withholds: withholds as Withheld }),
    ...(hinted === true && { hinted }),
    ...(OUTCOMES.has(result) && { result: result as InventedOutcome }),
    ...(Array.isArray(inWords) && { inWords: inWords.filter((hash) => typeof hash === "string") }),
  };
}

/** The message with marks of this project beside those it has. */
export function marked<Message extends JsonObject>(message: Message, origin: Origin): Message {
  return { ...message, [ORIGIN_FIELD]: { ...originOf(message), ...origin } };
}

/**
 * The messages without the marks of this project, for a format that has no room for them; the same list when there is
 * none.
 */
export function withoutMarks(messages: readonly unknown[]): readonly unknown[] {
  if (!messages.some((message) => isObject(message) && ORIGIN_FIELD in message)) return messages;
  return messages.map((message) => {
    if (!isObject(message) || !(ORIGIN_FIELD in message)) return message;
    const { [ORIGIN_FIELD]: _mark, ...fields } = message;
    return fields;
  });
}

/** Marks texts of a message as tool traffic in words. */
export function markedInWords<Message extends JsonObject>(message: Message, texts: readonly string[]): Message {
  if (texts.length === 0) return message;
  const known = originOf(message).inWords ?? [];
  return marked(message, { inWords: [...new Set([...known, ...texts.map(shortId)])] });
}

/**
 * Tells of a text of this message whether it is marked as tool traffic in words. The marks are read once, for messages
 * of many texts.
 */
export function inWordsOf(message: unknown): (text: string) => boolean {
  const { inWords } = originOf(message);
  if (!inWords) return () => false;
  const hashes = new Set(inWords);
  return (text) => hashes.has(shortId(text));
}

/** A message that several were joined to, with the marks of all of them, the later ones first. */
export function withJoinedOrigin<Message extends JsonObject>(message: Message, parts: readonly JsonObject[]): Message {
  const origins = parts.map(originOf).filter((origin) => origin !== NOTHING);
  if (origins.length === 0) return message;
  const inWords = [...new Set(origins.flatMap((origin) => origin.inWords ?? []))];
  const joined = origins.reduce((all, origin) => ({ ...all, ...origin }), NOTHING);
  return marked(message, { ...joined, ...(inWords.length > 0 && { inWords }) });
}
