/**
 * Origin marks: who wrote which part of a history. Text never proves origin: a person can type a notice of this
 * project, and a model can be asked to repeat one. Messages of this project are marked in a field beside the content,
 * which no model, tool or person in a conversation can write.
 */
import { isObject, type JsonObject } from "./json/json.ts";
import { shortId } from "./json/hash.ts";

/**
 * The field of a message that holds this project's marks. OpenClaw stores the field and sends it to no provider.
 */
export const ORIGIN_FIELD = "openclawIntegrity";

/** Kinds of assistant messages of this project; a model wrote at most their beginning. */
export type NoticeKind =
  /** A content filter stopped the answer. */
  | "stopped"
  /** The answer was cut off at a limit. */
  | "cut_short"
  /** The history was reset. */
  | "reset"
  /** The provider refuses every request. */
  | "refused";

/**
 * What a content filter has refused: `results`: the tool results before this message; `all`: all messages before it
 * since the last answer. Left out in the same turn, sent once more in the next one. `history`: the answer was made
 * without the earlier history, which is sent again.
 */
export type Withheld = "results" | "all" | "history";

/** The outcome that an invented tool result reports: see KnownOutcome. */
export type InventedOutcome = "unknown" | "interrupted" | "not_started";

/** The marks of a message. */
export interface Origin {
  notice?: NoticeKind;
  /** For {@link Origin.notice} `reset`: the id of that reset. */
  resetId?: string;
  withholds?: Withheld;
  /** The filter has refused once more what messages before this one withhold: that is not sent to this model again. */
  confirms?: true;
  /** The next user message was written by the guard: a hint to the agent to find another way. */
  hinted?: true;
  /** The message is a tool result that no tool returned. */
  result?: InventedOutcome;
  /** The message is for one run only: no transcript has it, and no later request. */
  passing?: true;
  /** No model has made the summary; in the details of a compaction. */
  extract?: true;
  /** Hashes of those texts of the message that are tool traffic turned into text. */
  inWords?: readonly string[];
}

const NOTICES: ReadonlySet<unknown> = new Set<NoticeKind>(["stopped", "cut_short", "reset", "refused"]);
const WITHHELD: ReadonlySet<unknown> = new Set<Withheld>(["results", "all", "history"]);
const OUTCOMES: ReadonlySet<unknown> = new Set<InventedOutcome>(["unknown", "interrupted", "not_started"]);
const NOTHING: Origin = {};

/**
 * Returns the marks of a message; none for any other message, whatever its text. Allocates nothing where there is no
 * mark.
 */
export function readOrigin(message: unknown): Origin {
  const field = isObject(message) ? message[ORIGIN_FIELD] : undefined;
  if (!isObject(field)) return NOTHING;
  const { notice, resetId, withholds, confirms, hinted, result, passing, extract, inWords } = field;
  return {
    ...(NOTICES.has(notice) && { notice: notice as NoticeKind }),
    ...(typeof resetId === "string" && { resetId }),
    ...(WITHHELD.has(withholds) && { withholds: withholds as Withheld }),
    ...(confirms === true && { confirms }),
    ...(hinted === true && { hinted }),
    ...(OUTCOMES.has(result) && { result: result as InventedOutcome }),
    ...(passing === true && { passing }),
    ...(extract === true && { extract }),
    ...(Array.isArray(inWords) && { inWords: inWords.filter((hash) => typeof hash === "string") }),
  };
}

/** Returns a copy of the message with these marks in addition to its own. */
export function marked<Message extends JsonObject>(message: Message, origin: Origin): Message {
  return { ...message, [ORIGIN_FIELD]: { ...readOrigin(message), ...origin } };
}

/** Marks texts of a message as tool traffic turned into text. */
export function markedInWords<Message extends JsonObject>(message: Message, texts: readonly string[]): Message {
  if (texts.length === 0) return message;
  const known = readOrigin(message).inWords ?? [];
  return marked(message, { inWords: [...new Set([...known, ...texts.map(shortId)])] });
}

/**
 * Returns a test whether a text of this message is marked as tool traffic turned into text. The marks are read once,
 * for messages with many texts.
 */
export function inWordsTest(message: unknown): (text: string) => boolean {
  const { inWords } = readOrigin(message);
  if (!inWords) return () => false;
  const hashes = new Set(inWords);
  return (text) => hashes.has(shortId(text));
}

/** Returns a joined message with the marks of all its parts; later parts win. */
export function withJoinedOrigin<Message extends JsonObject>(message: Message, parts: readonly JsonObject[]): Message {
  const origins = parts.map(readOrigin).filter((origin) => origin !== NOTHING);
  if (origins.length === 0) return message;
  const inWords = [...new Set(origins.flatMap((origin) => origin.inWords ?? []))];
  const joined = origins.reduce((all, origin) => ({ ...all, ...origin }), NOTHING);
  return marked(message, { ...joined, ...(inWords.length > 0 && { inWords }) });
}
