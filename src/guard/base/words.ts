/**
 * Fixed texts of the guard: about messages that were not read in time, work that ended with OpenClaw's process, and the
 * agent's moves. No code reads them back, so their words may be changed.
 */
import { quotedInline, section } from "../../base/quoted.ts";

/** Moves of the agent in its history of which the user is to be informed. */
export interface AgentMoves {
  readonly made: number;
  /** How far the last one went, in turns. */
  readonly turns: number;
  /** Whether one of them brought files of the workspace back. */
  readonly withFiles: boolean;
}

/** Returns one line to append to an answer: it tells the user that the agent has gone back in the history. */
export function movedNote({ made, turns, withFiles }: AgentMoves): string {
  const far =
    made > 1
      ? `${made} times`
      : turns === 0
        ? "within this turn"
        : turns === 1
          ? "to before your message"
          : `${turns - 1} ${turns === 2 ? "turn" : "turns"} back`;
  const undone = withFiles
    ? "files of its workspace were brought back, and nothing else that it did there is undone"
    : "what it did there is not undone";
  return (
    `[The agent went back in this conversation, ${far}, and went on from there. What it left stays stored, ` +
    `and ${undone}: /timeline log.]`
  );
}

/** Tells a model of a message that its user had sent before all work was stopped. */
export function unreadNote(text: string): string {
  return section(
    "[openclaw-integrity] This message came while you worked, and the user then stopped all work before you had " +
      "read it. Do nothing about it unless the user asks for it again.",
    text,
  );
}

/** Tells a model of a message that was accepted before others, and that no model has seen. */
export function lateNote(text: string): string {
  return section(
    "[openclaw-integrity] This message came earlier in the conversation, while you worked, and you have not " +
      "been shown it until now.",
    text,
  );
}

/** Tells a model of a message that stood before its last answer, and has no place of its own in the transcript. */
export function shownNote(text: string): string {
  return section(
    "[openclaw-integrity] This message came while you worked, and it stood before your last answer.",
    text,
  );
}

const MAX_TASK = 300;

/** Tells a model what has ended together with OpenClaw's process, of which nothing will be heard. */
export function endedNote(ended: readonly { readonly kind: string; readonly words: string }[]): string {
  const lines = ended.map(({ kind, words }) => `- ${kind} ${quotedInline(words, MAX_TASK)}`).join("\n");
  return (
    "[openclaw-integrity] OpenClaw was stopped and started again. This ended with it, or can no longer be " +
    `reached; no result of it will come, and what it had done until then is done:\n${lines}`
  );
}

const MAX_QUOTED = 80;

/** Note to the user behind the first answer since all work was stopped, about the messages that were not read. */
export function unreadMessagesNote(texts: readonly string[]): string {
  const shown = texts.slice(0, 3).map((text) => quotedInline(text, MAX_QUOTED));
  const more = texts.length > shown.length ? `, and ${texts.length - shown.length} more` : "";
  return (
    `[You stopped the work before ${texts.length === 1 ? "this message was" : "these messages were"} ` +
    `read: ${shown.join(", ")}${more}. The agent knows now what was said; ask again for what still counts.]`
  );
}
