import { treat } from "../../recovery/forms/treatment.ts";
import { isObject } from "../../transcript/json/json.ts";
import { type GuardContext, type GuardedSession, OWN_TYPE } from "../openclaw/session.ts";

/** Releases are compared by year, month and number: a build of one has a version that begins with the same. */
type Numbers = readonly [number, number, number];
/** The first and the last release that take out what {@link withUnofferedAsText} turns into text. */
const FIRST: Numbers = [2026, 2, 22];
const LAST: Numbers = [2026, 9, 4];
/** The last release that also takes out calls whose name has a dot or a colon. */
const LAST_NARROW: Numbers = [2026, 3, 28];
const NARROW_NAME = /^[\w-]+$/;

/** Tools behind which OpenClaw offers others that the session does not list; it keeps the calls of these. */
const OFFER_OTHERS: ReadonlySet<string> = new Set([
  "tool_search",
  "tool_search_code",
  "tool_describe",
  "tool_call",
  "wait",
]);

/**
 * Turns calls of tools that the run does not offer into text, with their results. From 2026.2.22 to 2026.9.4 OpenClaw's
 * sanitising takes such calls and results out of the history (and on some models the whole answer that has one): while
 * an MCP server is away or a plugin is removed, the model would know nothing of what these tools have found. Elsewhere,
 * and in a session that lists no tools or offers others behind the ones it lists, returns the same list; but up to
 * 2026.3.28 a name with a dot or a colon is enough.
 *
 * @param messages A history from `prepare`: calls in OpenClaw's spelling, each id once.
 */
export function withUnofferedAsText<T>(session: GuardedSession, context: GuardContext, messages: T[]): T[] {
  const release = parseNumbers(context.release);
  if (!release || compare(release, FIRST) < 0 || compare(release, LAST) > 0) return messages;
  const isNarrow = compare(release, LAST_NARROW) <= 0;
  const offered = offeredBy(session);
  const ids = idsOfCalls(
    messages,
    (name) => (isNarrow && !NARROW_NAME.test(name)) || offered?.has(plain(name)) === false,
  );
  if (ids.length === 0) return messages;
  const worded = treat(messages, { kind: "calls_as_text", ids });
  return worded.map((message, at) => (message === messages[at] ? message : (asNote(message, messages[at]) as T)));
}

/** Makes a note of a result in words: OpenClaw would count a user's message against the limit of a chat's history. */
function asNote(message: unknown, before: unknown): unknown {
  if (!isObject(message) || !isObject(before) || before.role !== "toolResult") return message;
  const { content, timestamp } = message;
  return { role: "custom", customType: OWN_TYPE, content, display: false, timestamp };
}

function parseNumbers(release: string | undefined): readonly number[] | undefined {
  return /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/
    .exec(release ?? "")
    ?.slice(1)
    .map(Number);
}

function compare(one: readonly number[], other: Numbers): number {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : one[at]! - other[at]!;
}

/**
 * The names of the tools as OpenClaw compares them; undefined where it compares none, or the session does not tell all.
 */
function offeredBy({ agent }: GuardedSession): ReadonlySet<string> | undefined {
  const tools: unknown = agent.state?.tools;
  if (!Array.isArray(tools)) return undefined;
  const names = new Set(
    tools.flatMap((tool) => (isObject(tool) && typeof tool.name === "string" ? plain(tool.name) : [])),
  );
  return names.size === 0 || [...OFFER_OTHERS].some((name) => names.has(name)) ? undefined : names;
}

function plain(name: string): string {
  return name.trim().toLowerCase();
}

function idsOfCalls(messages: readonly unknown[], isChosen: (name: string) => boolean): string[] {
  const ids: string[] = [];
  for (const message of messages) {
    if (!isObject(message) || message.role !== "assistant" || !Array.isArray(message.content)) continue;
    for (const block of message.content as unknown[]) {
      if (!isObject(block) || block.type !== "toolCall" || typeof block.id !== "string") continue;
      if (typeof block.name === "string" && isChosen(block.name)) ids.push(block.id);
    }
  }
  return ids;
}
