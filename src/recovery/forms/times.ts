/** When messages were made, and how far into a history a treatment with a time reaches. */
import { isObject } from "../../transcript/json/json.ts";
import { isResultMessage } from "../../transcript/read.ts";

/** Returns when a message was made, in milliseconds since 1970; undefined where it has no time. */
export function readTime(message: unknown): number | undefined {
  return isObject(message) && Number.isFinite(message.timestamp) ? (message.timestamp as number) : undefined;
}

/** Returns the latest time of the messages, wherever it is among them; undefined where none has one. */
export function latestTime(messages: readonly unknown[]): number | undefined {
  let latest: number | undefined;
  for (const message of messages) {
    const at = readTime(message);
    if (at !== undefined && !(latest !== undefined && latest >= at)) latest = at;
  }
  return latest;
}

/**
 * Returns the index behind the last message that was made up to `until`, and behind the results of its calls: a call
 * and its results are treated together. All messages for `undefined`.
 */
export function findTreatedEnd(messages: readonly unknown[], until: number | undefined): number {
  if (until === undefined) return messages.length;
  let end = messages.findLastIndex((message) => (readTime(message) ?? Infinity) <= until) + 1;
  while (end > 0 && end < messages.length && isResultMessage(messages[end])) end++;
  return end;
}

/** True for a message that was made after `until`; false where either time is unknown. */
export function isLater(message: unknown, until: number | undefined): boolean {
  const at = readTime(message);
  return at !== undefined && until !== undefined && at > until;
}
