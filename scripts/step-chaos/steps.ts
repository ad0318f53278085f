/**
 * What the preload (preload.ts) writes down and is told: the steps of a turn behind which OpenClaw can be killed. No
 * imports, so that it costs OpenClaw nothing.
 */

/** One thing that OpenClaw's process does to its disk or starts, outside of any transaction or as the end of one. */
export interface Step {
  /** Counted from 1, from the moment in which the message is sent. */
  readonly n: number;
  /** The function, or the first word of the statement. */
  readonly verb: string;
  /** Whether only half of its bytes can be written. */
  readonly isCut: boolean;
}

/** Where the process ends. */
export interface Place {
  readonly step: number;
  readonly part: "half" | "after";
}

/** The variable that names the file in which each step is written down. */
export const STEPS_FILE = "STEP_CHAOS_STEPS";

const PLACE = /^Do the work (\d+)a-0\./;

/** The number of the episode that is killed there; 0 is the turn that is not killed. */
export function episodeNumber({ step, part }: Place): number {
  return 2 * step + (part === "half" ? 1 : 0);
}

/** The place that a message of episode `n` names; undefined for another message. Step 0 is never reached. */
export function placeIn(message: string): Place | undefined {
  const n = PLACE.exec(message)?.[1];
  return n === undefined ? undefined : { step: Number(n) >> 1, part: Number(n) % 2 === 1 ? "half" : "after" };
}
