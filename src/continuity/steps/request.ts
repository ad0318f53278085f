/** Requests to execute a step: checked, compared with what was recorded of the step before, or refused. */
import { nameInline, valueInline } from "../../base/quoted.ts";
import { joinSome } from "../../base/join-some.ts";
import { continuityError } from "../base/errors.ts";
import { assertStorable, canonicalText, isRefusedKey, type Json, sha256 } from "../base/json.ts";
import type { OpenStep, StepType } from "../base/state.ts";
import type { StepBegin } from "../decide/steps.ts";
import { attemptText, howToResolve } from "../decide/step-words.ts";
import type { StepAttemptRow } from "../ledger/store.ts";
import type { StepRecord } from "./step-record.ts";

/** A step to be executed under a lease. */
export interface StepRequest {
  /** Names the step, also after a restart. 1 to 100 characters. */
  readonly step_id: string;
  /**
   * What a repetition does: the step only computes (`pure`), can be repeated without harm (`idempotent`), or must never
   * happen twice (`non_idempotent`).
   */
  readonly step_type: StepType;
  /**
   * Required for `non_idempotent`: the identity of the effect, within the project. Two steps with the same key are the
   * same step, whatever their ids are. Compared in the Unicode form NFC without white space around it, and passed on in
   * that form, for an outside system that recognises a repetition by the key.
   */
  readonly idempotency_key?: string | undefined;
  /** The input; the same step has the same input. */
  readonly input?: Json | undefined;
  readonly task_id?: string | undefined;
  /**
   * The id of the tool call that begins it, for hosts that journal tool calls: what came after that call is evidence of
   * what became of the attempt. One that is longer than 500 characters, or no text, is left out.
   */
  readonly call_id?: string | undefined;
  /**
   * Whether a non_idempotent step that may have happened begins again: only with `after-unknown`, by which the caller
   * declares that a repetition does no harm, because the outside system recognises the idempotency key.
   */
  readonly repeat?: "after-unknown" | undefined;
  /**
   * False leaves out the commit before the body: the completion is recorded alone, with half the commits and storage.
   * Until then nobody can see that the step is being executed: after a crash it leaves no open step, and a second call
   * in the meantime executes it too. Not for non_idempotent steps. True by default.
   */
  readonly recordBegin?: boolean | undefined;
}
const TYPES: readonly StepType[] = ["pure", "idempotent", "non_idempotent"];

/** A checked request, in the form in which it is recorded. */
export type Checked = Pick<StepAttemptRow, "step_id" | "idempotency_key" | "input_checksum"> & {
  readonly step_type: StepType;
  readonly task_id: string | null;
  /** What is recorded beside the identity of the step. */
  readonly beside: Pick<StepBegin, "input_text" | "input_length" | "call_id">;
};

const MAX_NAMED = 5;
/** Characters of an input that are recorded with its attempt. */
const LONGEST_INPUT = 4096;
const LONGEST_CALL_ID = 500;

/** Returns what is recorded of an input: all of its canonical JSON, or the beginning and the length. */
function recordedInput(text: string): Pick<StepBegin, "input_text" | "input_length"> {
  if (text.length <= LONGEST_INPUT) return { input_text: text };
  // A cut may leave half a surrogate pair, which no store takes.
  return { input_text: text.slice(0, LONGEST_INPUT).toWellFormed(), input_length: text.length };
}

/** Returns what is recorded of a request. Throws `bad-input` and `idempotency-key-required`. */
export function checked(request: StepRequest): Checked {
  const { step_id, step_type, input = null, task_id, recordBegin = true } = request;
  const idempotency_key = normalizeKey(request.idempotency_key);
  for (const [name, text, longest] of [
    ["step_id", step_id, 100],
    ["idempotency_key", idempotency_key ?? "-", 500],
  ] as const) {
    if (typeof text !== "string" || text === "" || text.length > longest)
      refuse(`a ${name} of 1 to ${longest} characters`, valueInline(text));
    assertStorable(text, name);
  }
  if (isRefusedKey(step_id)) refuse("a step_id other than __proto__, constructor and prototype", nameInline(step_id));
  if (!TYPES.includes(step_type)) refuse(`a step_type of ${TYPES.join(", ")}`, valueInline(step_type));
  if (step_type === "non_idempotent" && !recordBegin)
    refuse(
      `the begin of step ${nameInline(step_id)} to be recorded, because its side effect must not happen twice`,
      "recordBegin: false",
    );
  if (step_type === "non_idempotent" && idempotency_key === undefined) {
    throw continuityError("idempotency-key-required", {
      expected: `an idempotency_key for step ${nameInline(step_id)}, because its side effect must not happen twice`,
      found: "none",
      todo:
        "Pass the key by which the outside system recognises a repetition; without such a system the step cannot " +
        "be made safe. Nothing was written.",
    });
  }
  assertStorable(input, `the input of step ${nameInline(step_id)}`);
  return {
    step_id,
    step_type,
    idempotency_key: idempotency_key ?? null,
    input_checksum: sha256(canonicalText(input)),
    task_id: task_id ?? null,
    beside: { ...recordedInput(canonicalText(input)), ...recordedCall(request.call_id) },
  };
}

/** Returns a call's id where every store can hold it: a provider's strange id keeps no step from beginning. */
function recordedCall(call_id: unknown): Pick<StepBegin, "call_id"> {
  const isFit = typeof call_id === "string" && call_id.length <= LONGEST_CALL_ID && call_id.isWellFormed();
  return isFit && call_id !== "" && !call_id.includes("\u0000") ? { call_id } : {};
}

/** Returns a key as it is compared, recorded and passed on. */
export function normalizeKey<Key>(given: Key): Key | string {
  return typeof given === "string" ? given.normalize("NFC").trim() : given;
}

function refuse(expected: string, found: string): never {
  throw continuityError("bad-input", { expected, found, todo: "Nothing was written." });
}

/** Throws `step-mismatch` when the latest attempt was of another step, with what is recorded of that. */
export function assertSame(
  { attempt: earlier, started, status }: StepRecord,
  now: Omit<Checked, "beside" | "task_id" | "step_id">,
): void {
  for (const name of ["step_type", "idempotency_key", "input_checksum"] as const) {
    if (earlier[name] === now[name]) continue;
    throw continuityError("step-mismatch", {
      expected:
        `step ${nameInline(earlier.step_id)} to have the ${name} ${nameInline(earlier[name] ?? "none")} of its ` +
        `attempt ${earlier.attempt_id}, which began ${earlier.started_at} ` +
        `(${attemptText({ ...earlier, ...started.data })})`,
      found: nameInline(now[name] ?? "none"),
      todo:
        (status === "completed"
          ? "That step is completed: pass the same to get its result. "
          : "For the same action pass the " +
            `same. ${status === "ended" ? "" : `That attempt may have acted. ${howToResolve()} `}`) +
        "Only another action has another step_id: the same action under another step_id happens twice. " +
        "Nothing was written.",
    });
  }
}

/** The refusal of a step that must not happen twice and has attempts that may have acted. */
export function stepUnknown(attempts: readonly OpenStep[]): Error {
  const told = attempts.map(
    (one) => `attempt ${one.attempt_id} of ${one.started_at} without a known outcome: ${attemptText(one)}`,
  );
  return continuityError("step-unknown", {
    expected:
      `step ${nameInline(attempts[0]!.step_id)}, which must not happen twice, ` +
      "to have no attempt that may have acted",
    found: joinSome(told, MAX_NAMED, "; "),
    todo:
      `${howToResolve()} Or say repeat: "after-unknown", if the outside system recognises the idempotency key and a ` +
      "repetition does no harm. Nothing was executed.",
  });
}

/** The refusal of a step that was given up. */
export function abandoned({ attempt, open }: StepRecord): Error {
  const given = open.find(({ given_up }) => given_up !== undefined);
  return continuityError("step-abandoned", {
    expected: `step ${nameInline(attempt.step_id)} not to be given up`,
    found: `attempt ${given?.attempt_id} was given up: ${valueInline(given?.given_up)}`,
    todo: `Ask who gave it up. If it is known by now whether it acted: ${howToResolve()} Nothing was executed.`,
  });
}
