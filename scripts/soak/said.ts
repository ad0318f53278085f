import type { MessagePlan } from "./actions.ts";

/** A message that a person has sent, and what is known of it. */
export interface Said {
  conversation: string;
  /** The number of the action that it is of. */
  action: number;
  message: MessagePlan;
  /** The run that the gateway has acknowledged it with; undefined where it was not taken. */
  run?: string;
  /** Why it was not taken, or not waited for to the end. */
  failed?: string;
  /** Whether the person has stopped or interrupted what went on, so that an end without an answer is no surprise. */
  stopped: boolean;
  /** When it was sent, in milliseconds since the gateway was made. */
  at: number;
  /** Whether nothing was done beside it and nothing was planned to go wrong, nor was the gateway ended meanwhile. */
  plain: boolean;
  /** Milliseconds from sending to the first word of an answer, where a client was told one. */
  firstMs?: number;
  /** Milliseconds from sending to the first end of its run. */
  ms?: number;
}
