import { partKey } from "../../recovery/forms/parts.ts";
import { isObject } from "../../transcript/json/json.ts";
import { plainText } from "../../transcript/json/text.ts";

/** The newest question of a conversation, the route that is asked, and when. */
export interface AskedQuestion {
  readonly route: string;
  /** The key of the question's message, made by {@link partKey}. */
  readonly key: string;
  /** The words of the question, without what OpenClaw puts before them in brackets. */
  readonly words: string;
  /** When the question was asked, in milliseconds since 1970. */
  readonly at: number;
}

/** How long the same words behind an error count as OpenClaw's next try, which has a time of its own. */
const NEXT_TRY_MS = 5 * 60_000;

/** Returns the newest question among the messages, as it is asked on a route now. */
export function questionIn(messages: readonly unknown[], route: string): AskedQuestion {
  const question = messages.findLast((message) => isObject(message) && message.role === "user");
  const words = (isObject(question) ? plainText(question.content) : "").replace(/^\[[^\]\n]*\] /, "").trim();
  return { route, key: partKey(question), words, at: Date.now() };
}

/**
 * True for the same question on the same route; behind an error that was passed on, also for the same words: OpenClaw's
 * next try may be a message of its own, with the question as lines of it.
 */
export function isSameQuestion(
  one: (AskedQuestion & { readonly isPassed: boolean }) | undefined,
  { route, key, words, at }: AskedQuestion,
): boolean {
  if (one?.route !== route) return false;
  if (one.key === key) return true;
  return one.isPassed && at - one.at < NEXT_TRY_MS && `\n${words}\n`.includes(`\n${one.words}\n`);
}
