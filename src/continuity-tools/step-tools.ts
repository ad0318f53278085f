import { Type } from "typebox";
import { OUTCOMES, type Resolution } from "../continuity/index.ts";
import type { LeaseKeeper } from "./lease-keeper.ts";
import { compact } from "./answers.ts";
import { Reading } from "./reading.ts";
import type { ContinuityTool } from "./tool.ts";
import { tool } from "./tools.ts";

const LONGEST_TEXT = 100_000;
const step_id = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: "\\S",
  description:
    "Names this step for ever, also after a restart: send-invoice-2026-11, for instance. Another step needs another name.",
});
const attempt_id = Type.Integer({ minimum: 1, description: "The attempt that beginning the step gave." });

const BEGIN = Type.Object(
  {
    step_id,
    step_type: Type.Enum(["pure", "idempotent", "non_idempotent"], {
      type: "string",
      description:
        "pure: only computes. idempotent: doing it twice does no harm. non_idempotent: must never happen twice (a payment, a message, a post).",
    }),
    idempotency_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          "The key by which the outside system recognises a repetition; hand it on to that system. Mandatory for non_idempotent.",
      }),
    ),
    input: Type.Optional(
      Type.String({
        maxLength: LONGEST_TEXT,
        description: "What the step works on. The same step always has the same input.",
      }),
    ),
    task_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Id of the task it belongs to." })),
  },
  { additionalProperties: false },
);
const COMPLETE = Type.Object(
  {
    step_id,
    attempt_id,
    result: Type.Optional(
      Type.String({
        maxLength: LONGEST_TEXT,
        description: "What came of it; whoever begins this step again is given it.",
      }),
    ),
  },
  { additionalProperties: false },
);
const FAIL = Type.Object(
  {
    step_id,
    attempt_id,
    error: Type.String({ minLength: 1, maxLength: 1000, pattern: "\\S", description: "What went wrong, in one line." }),
  },
  { additionalProperties: false },
);

const RESOLVE = Type.Object(
  {
    step_id,
    attempt_id: Type.Integer({ minimum: 1, description: "The attempt, as the open steps name it." }),
    outcome: Type.Enum([...OUTCOMES], {
      type: "string",
      description:
        "completed: it happened. not_done: it did not happen; it may be begun again. abandoned: nobody can tell, or it no longer matters; it is not begun again.",
    }),
    reason: Type.String({
      minLength: 1,
      maxLength: 1000,
      pattern: "\\S",
      description: "How that is known: where you looked, or who said so.",
    }),
    result: Type.Optional(
      Type.String({ maxLength: LONGEST_TEXT, description: "What came of it, with the outcome completed only." }),
    ),
  },
  { additionalProperties: false },
);

const MAY_HAVE_ACTED =
  "An earlier attempt was begun. Unless you know that it had no effect, look whether it acted before you do it again, " +
  "and record what you find as its outcome.";

/**
 * Returns the tools for steps that are committed at most once, under the leases that `leases` holds for this process.
 */
export function stepTools(leases: LeaseKeeper): readonly ContinuityTool[] {
  return [
    tool({
      name: "begin_step",
      title: "Begin a step",
      description:
        "Ask whether a step with an effect may be done now. status completed: it was done before; do not do it again and use its result. status run: do it now, then complete or fail this very attempt. " +
        "With earlier_attempts an earlier one may have acted: look first.",
      parameters: BEGIN,
      answer: async (project, input) => {
        const { lease, start } = await leases.begin(project, input);
        if (start.status === "completed") {
          const { author, ...fields } = start;
          const reading = new Reading(project.author);
          return reading.answer({ ...fields, ...reading.writtenBy({ result: author }) });
        }
        const { earlier_attempts, may_have_acted: _, unrecorded: __, ...rest } = start;
        return compact({
          ...rest,
          fencing_token: lease.fencing_token,
          ...(earlier_attempts > 0 ? { earlier_attempts, advice: MAY_HAVE_ACTED } : {}),
        });
      },
    }),
    tool({
      name: "complete_step",
      title: "Complete a step",
      description:
        "Commit the result of an attempt that was begun: the step is done for ever. Committing the same again is harmless.",
      parameters: COMPLETE,
      idempotent: true,
      answer: async (project, { step_id: id, attempt_id: attempt, result = null }) => {
        const { duplicate } = await leases.complete(project, { step_id: id, attempt_id: attempt }, result);
        return { step_id: id, attempt_id: attempt, status: "completed", ...(duplicate ? { duplicate } : {}) };
      },
    }),
    tool({
      name: "fail_step",
      title: "Record that a step failed",
      description: "Say that an attempt had no effect and why; the step may be begun again.",
      parameters: FAIL,
      idempotent: true,
      answer: async (project, { step_id: id, attempt_id: attempt, error }) => {
        await leases.fail(project, { step_id: id, attempt_id: attempt }, error);
        return { step_id: id, attempt_id: attempt, status: "failed" };
      },
    }),
    tool({
      name: "resolve_step",
      title: "Record what became of a step",
      description:
        "For an open step whose executor did not say how it ended: after a kill, a restart, or a failure in the middle. Find out first whether it acted; when you cannot, ask the user. Then record that it happened, that it did not, or that it is given up.",
      parameters: RESOLVE,
      idempotent: true,
      answer: async (project, resolution) => {
        const { duplicate } = await leases.resolve(project, resolution as Resolution);
        const { step_id: id, attempt_id: attempt, outcome } = resolution;
        return { step_id: id, attempt_id: attempt, outcome, ...(duplicate ? { duplicate } : {}) };
      },
    }),
  ];
}
