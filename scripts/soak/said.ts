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
  /** Milliseconds from the acknowledgement to the first end of its run. */
  ms?: number;
}
