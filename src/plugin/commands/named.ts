import { storeError } from "../../store/errors.ts";
import type { SessionMonitor } from "../sessions/session-monitor.ts";
import { NOT_IN_A_GROUP, type OwnersCommand } from "./command.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** The conversation that a command concerns. */
export interface Named {
  /** The id of a session or the key of a conversation. */
  readonly which: string;
  /** Whether the command was sent in this conversation. */
  readonly isOwn: boolean;
}

/** Matches the beginning of a path and the end of a transcript's name. Keys and ids of channels may contain a slash. */
const PATH = /^(?:[/\\~]|\.{1,2}(?:[/\\]|$)|[a-z]:[/\\]|file:)|[/\\]\.{1,2}[/\\]|\\|\.jsonl$/i;

/**
 * Throws if a word of a command is a path. No path is ever looked up for a chat, so that the answer does not reveal
 * which files exist.
 */
export function assertNoPath(word: string | undefined): void {
  if (word === undefined || !PATH.test(word)) return;
  throw storeError("session-missing", {
    expected: "the id of a session or the key of a conversation",
    found: "a path",
    todo: "A chat command accepts no path; `npx openclaw-integrity` on the gateway's machine does. Nothing was read.",
  });
}

/**
 * Returns the conversation that a command concerns: the named one, else the one in which the command was sent. Where
 * the release does not report the latter (up to 2026.3), returns the only stored conversation. Throws if several are
 * stored, if a path is named, and if another conversation is named in a group.
 */
export async function resolveConversation(
  monitor: SessionMonitor,
  command: OwnersCommand,
  named: string | undefined,
): Promise<Named> {
  assertNoPath(named);
  const own = ownConversation(command);
  if (named !== undefined && !isOwn(command, named)) {
    if (command.audience === "group") throw new Error(NOT_IN_A_GROUP);
    return { which: named, isOwn: false };
  }
  if (own !== undefined) return { which: own, isOwn: true };
  if (command.audience === "group") throw new Error(NOT_IN_A_GROUP);
  const keys = await monitor.options.scanWorker.call("conversations", {});
  if (keys.length === 1) return { which: keys[0]!, isOwn: false };
  throw storeError("session-missing", {
    expected: "the conversation that is meant, as second word: in:<its key>",
    found: `${keys.length} stored conversations`,
    todo:
      "This release of OpenClaw does not report where a command was sent. The key is usually agent:main:main; " +
      `\`${ownCommand("sessions list")}\` shows all. Nothing was changed.`,
  });
}

/** Returns whether an id or a key names the conversation in which the command was sent. */
export function isOwn({ sessionId, sessionKey }: OwnersCommand, named: string): boolean {
  return named === sessionId || named === sessionKey;
}

/** Returns the id or key of the conversation in which a command was sent. */
export function ownConversation({ sessionId, sessionKey }: OwnersCommand): string | undefined {
  return sessionId ?? sessionKey;
}
