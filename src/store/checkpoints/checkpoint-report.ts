import type { Checkpoint } from "../../journal/checkpoints.ts";
import type { Journal } from "../../journal/journal.ts";
import { isObject, toWord, type JsonObject } from "../../transcript/json/json.ts";
import { readText } from "../../transcript/json/text.ts";
import { callsIn, type CallBehind } from "./calls-behind.ts";
import { compareWithCheckpoint, countMessages, type CheckpointState } from "./checkpoint-state.ts";
import type { SessionStore } from "../sessions/stored-session.ts";

const MAX_LENGTH = 80;

/** A message after a checkpoint: its role and the beginning of its text. */
export interface MessageBehind {
  readonly role: string;
  readonly words: string;
}

/** The state of a checkpoint and of its session. */
export interface CheckpointReport {
  /** `no-session`: OpenClaw no longer has the session. Other verdicts: see {@link CheckpointState}. */
  readonly verdict: CheckpointState["verdict"] | "no-session";
  readonly foundHash?: string;
  readonly session?: {
    readonly agentId: string;
    readonly sessionKey?: string;
    readonly kind: "file" | "rows";
    readonly isCurrent: boolean;
    readonly problems: readonly string[];
  };
  /** Whether the checkpoint is already the end of the session. */
  readonly isLeaf: boolean;
  readonly messagesBehind: readonly MessageBehind[];
  /** How many messages a rollback would bring back into the history. */
  readonly messagesBack: number;
  readonly calls: readonly CallBehind[];
}

/** Compares a checkpoint with its session, for display. Changes nothing. Throws `store-unreadable`. */
export function describeCheckpoint(store: SessionStore, journal: Journal, checkpoint: Checkpoint): CheckpointReport {
  const session = store.find(checkpoint.sessionId)?.open();
  if (session === undefined)
    return { verdict: "no-session", isLeaf: false, messagesBehind: [], messagesBack: 0, calls: [] };
  const { verdict, foundHash, isLeaf, leaving, returning } = compareWithCheckpoint(session, checkpoint);
  const { agentId, sessionKey, kind, isCurrent, problems } = session;
  return {
    verdict,
    ...(foundHash !== undefined && { foundHash }),
    session: { agentId, ...(sessionKey !== undefined && { sessionKey }), kind, isCurrent, problems },
    isLeaf,
    messagesBehind: [...beginnings(session.read(leaving.filter(({ type }) => type === "message")))],
    messagesBack: countMessages(returning),
    calls: callsIn(session.read(leaving), journal.cycles.open(checkpoint.sessionId)),
  };
}

/** Yields the beginning of each message without holding whole entries: a transcript may be larger than the memory. */
function* beginnings(entries: Iterable<JsonObject>): Generator<MessageBehind> {
  for (const { message } of entries) {
    if (!isObject(message)) continue;
    const { role, content } = message;
    const blocks = Array.isArray(content) ? content : [content];
    const words = blocks
      .map((block: unknown) => (isObject(block) && block.type !== "text" ? "" : readText(block)))
      .join(" ")
      .replaceAll(/\s+/g, " ")
      .trim();
    yield {
      role: toWord(role),
      words: words.length > MAX_LENGTH ? `${words.slice(0, MAX_LENGTH).toWellFormed()}…` : words,
    };
  }
}
