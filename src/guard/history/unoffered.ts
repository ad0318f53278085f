import { treat } from "../../recovery/treatment.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { GuardContext, GuardedSession } from "../openclaw/session.ts";

/** Releases in which OpenClaw takes out what {@link withUnofferedAsText} turns into text: year, month and number. */
const FIRST = [2026, 2, 22] as const;
const LAST = [2026, 9, 3] as const;

/** Tools behind which OpenClaw offers others that the session does not list; it keeps the calls of these. */
const OFFER_OTHERS: ReadonlySet<string> = new Set([
  "tool_search",
  "tool_search_code",
  "tool_describe",
  "tool_call",
  "wait",
]);

/**
 * Turns calls of tools that the run does not offer into text, with their results. From 2026.2.22 to 2026.9.3 OpenClaw's
 * sanitising takes such calls and results out of the history (and on some models the whole answer that has one): while
 * an MCP server is away or a plugin is removed, the model would know nothing of what these tools have found. Elsewhere,
 * and in a session that lists no tools or offers others behind the ones it lists, returns the same list.
 *
 * @param messages A history from `prepare`: calls in OpenClaw's spelling, each id once.
 */
export function withUnofferedAsText<T>(session: GuardedSession, context: GuardContext, messages: T[]): T[] {
  if (!isDropping(context.release)) return messages;
  const offered = offeredBy(session);
  if (offered === undefined) return messages;
  const ids = unofferedIds(messages, offered);
  return ids.length === 0 ? messages : treat(messages, { kind: "calls_as_text", ids });
}

/** True for the releases above, and for a build of one: its version begins with the same numbers. */
function isDropping(release: string | undefined): boolean {
  const numbers = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/
    .exec(release ?? "")
    ?.slice(1)
    .map(Number);
  return numbers !== undefined && compare(numbers, FIRST) >= 0 && compare(numbers, LAST) <= 0;
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : one[at]! - other[at]!;
}

/** The names of the tools as OpenClaw compares them; undefined where the session does not tell all of them. */
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

function unofferedIds(messages: readonly unknown[], offered: ReadonlySet<string>): string[] {
  const ids: string[] = [];
  for (const message of messages) {
    if (!isObject(message) || message.role !== "assistant" || !Array.isArray(message.content)) continue;
    for (const block of message.content as unknown[]) {
      if (!isObject(block) || block.type !== "toolCall" || typeof block.id !== "string") continue;
      if (typeof block.name !== "string" || !offered.has(plain(block.name))) ids.push(block.id);
    }
  }
  return ids;
}
