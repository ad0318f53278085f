import type { Places } from "./calls.ts";

/** A conversation as OpenClaw knows it. */
export interface Chat {
  id: string;
  key: string;
}

/** A conversation and the history that it begins with. */
export interface Seed {
  chat: Chat;
  transcript: string;
}

/** What became of a message. */
export interface Said {
  answered: boolean;
  /** What the person saw. */
  text: string;
  error?: string;
}

/** An OpenClaw that can be killed and brought back on the same state. */
export interface Runner {
  readonly mode: "in-process" | "gateway";
  readonly places: Places;
  /**
   * How long before a kill a result must have been there at least to count as finished: behind OpenClaw's own event
   * where it is seen, else behind the end of the command.
   */
  readonly marginMs: number;
  readonly seesEvents: boolean;
  /** How long after a start OpenClaw may take to go on with an interrupted turn by itself; 0 where it never does. */
  readonly resumesWithinMs: number;
  /**
   * Brings OpenClaw up, with these conversations added to what it has stored (JSONL; an empty text is a conversation
   * that is yet to begin).
   */
  start(chats: readonly Seed[]): Promise<void>;
  /**
   * Sends a message and waits for the end of the turn; rejects when OpenClaw is killed. Several conversations at once
   * are fine.
   */
  send(chat: Chat, message: string): Promise<Said>;
  /** What the store holds of a conversation, as text. */
  stored(chat: Chat): Promise<string>;
  /** kill -9; gives the time just before it. */
  kill(): Promise<number>;
  close(): Promise<void>;
}
