/** Sentences on steps and attempts: what is recorded of them, and how to resolve one. */
import { ownCommand } from "../../base/commands/own-command.ts";
import { nameInline, quotedInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import type { OpenStep, UnknownSince } from "../base/state.ts";
import { ENGINE_TOKEN } from "./leases.ts";
import { isOver } from "./open-attempts.ts";

/** Says how to record what became of an attempt. */
export function howToResolve(): string {
  return (
    "Find out whether it acted, and record that: with steps.resolve in a program, the tool step (action resolve), or " +
    `\`${ownCommand("continuity resolve")}\`.`
  );
}

/** Says that a project goes on from an older copy, in words for people and agents. */
export function copyText({ event_seq, at }: UnknownSince): string {
  return (
    `This project was restored from a backup (event ${event_seq} of ${nameInline(at)}): what was done since ` +
    "then is not known here. A step that must not happen twice may have happened, until somebody confirms what did."
  );
}

const LONGEST_SHOWN = 300;

/** Returns whether a durable engine executes the open attempt, and not the owner of a lease. */
export function isEngines(attempt: OpenStep): boolean {
  return attempt.fencing_token === ENGINE_TOKEN && !isOver(attempt);
}

/**
 * Describes what is recorded of an attempt, with foreign words quoted: type, key, input, and why it failed. `by`
 * returns what stands before words of an author who is not that of the step.
 */
export function attemptText(
  step: Pick<OpenStep, "step_type" | "idempotency_key"> & Partial<OpenStep>,
  by: (author: Author) => string = () => "",
): string {
  const { step_type, idempotency_key, input_text, input_length, error, error_author, unknown_since, given_up } = step;
  return [
    nameInline(step_type),
    ...(idempotency_key === null ? [] : [`key ${quotedInline(idempotency_key, LONGEST_SHOWN)}`]),
    ...(input_text === undefined || input_text === "null"
      ? []
      : [`input ${quotedInline(input_text, LONGEST_SHOWN)}${input_length ? ` of ${input_length} characters` : ""}`]),
    ...(error === undefined
      ? []
      : [`failed and may have acted: ${error_author ? by(error_author) : ""}${quotedInline(error, LONGEST_SHOWN)}`]),
    ...(unknown_since === undefined ? [] : [`may have happened before event ${unknown_since}, which restored a copy`]),
    ...(given_up === undefined ? [] : [`given up: ${quotedInline(given_up, LONGEST_SHOWN)}`]),
  ].join(", ");
}
