import { storeError } from "../../store/errors.ts";
import type { SessionMonitor } from "../sessions/session-monitor.ts";
import { NOT_IN_A_GROUP, type OwnersCommand } from "./command.ts";

/** A conversation that a command is about. */
export interface Named {
  /** The id of a session or the key of a conversation. */
  readonly which: string;
  /** Whether the command was sent in this one. */
  readonly isOwn: boolean;
}

/** Where a path begins, and how a transcript's name ends. Keys and ids of channels may have a slash within. */
const PATH = /^(?:[/\\~]|\.{1,2}(?:[/\\]|$)|[a-z]:[/\\]|file:)|[/\\]\.{1,2}[/\\]|\\|\.jsonl$/i;

/**
 * Throws where a word of a command is a path: none is ever looked at for a chat, so that the answer does not tell
 * what is there.
 */
export function assertNoPath(word: string | undefined): void {
  if (word === undefined || !PATH.test(word)) return;
  throw storeError("session-missing", {
    expected: "the id of a session or the key of a conversation",
    found: "a path",
    todo: "A chat command takes none; `npx openclaw-integrity` on the gateway's machine does. Nothing was read.",
  });
}

/**
 * The conversation that is meant: the one that is named, else the one that the command was sent in. Where the release
 * does not tell that (to 2026.3), the only one that there is. Throws where none is meant, where a path is named, and
 * where another than its own is named in a group.
 */
export async function conversationOf(
  monitor: SessionMonitor,
  command: OwnersCommand,
  named: string | undefined,
): Promise<Named> {
  assertNoPath(named);
  const own = ownOf(command);
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
    found: `${keys.length} conversations that are stored`,
    todo:
      "This release of OpenClaw does not tell a command where it was sent. The key is mostly agent:main:main; " +
      "`npx openclaw-integrity sessions list` shows all. Nothing was changed.",
  });
}

/** Whether an id or a key is of the conversation that the command was sent in. */
export function isOwn({ sessionId, sessionKey }: OwnersCommand, named: string): boolean {
  return named === sessionId || named === sessionKey;
}

/** The conversation that a command was sent in, as it is looked up. */
export function ownOf({ sessionId, sessionKey }: OwnersCommand): string | undefined {
  return sessionId ?? sessionKey;
}
