import type { Author } from "../base/author.ts";
import type { Json } from "../base/json.ts";
import type { OpenStep } from "../base/state.ts";
import type { Unrecorded } from "./unrecorded.ts";

/**
 * A step that was completed before, with its result; an attempt that may be executed now; or attempts that may have
 * acted.
 */
export type StepStart =
  | {
      readonly status: "completed";
      readonly step_id: string;
      readonly attempt_id: number;
      readonly result: Json;
      /** The result is a text that tells of a value which JSON cannot write. */
      readonly result_form?: "text";
      /** Author of the result. */
      readonly author: Author;
    }
  | {
      readonly status: "run";
      readonly step_id: string;
      readonly attempt_id: number;
      readonly idempotency_key: string | null;
      /** Number of earlier attempts. */
      readonly earlier_attempts: number;
      /** One of the attempts may have acted: it has no outcome, or it failed after it had begun to act. */
      readonly may_have_acted: boolean;
      /** The attempt that {@link Steps.completeWith} records; only with `recordBegin: false`. */
      readonly unrecorded?: Unrecorded;
    }
  | {
      /**
       * The step must not happen twice and may have happened: nothing is to be executed until each attempt is resolved.
       */
      readonly status: "open";
      readonly step_id: string;
      /** The latest one of `attempts`. */
      readonly attempt_id: number;
      /** The attempts without a known outcome, the oldest first. */
      readonly attempts: readonly OpenStep[];
    };

/** One attempt of one step. */
export interface Attempt {
  readonly step_id: string;
  readonly attempt_id: number;
}
