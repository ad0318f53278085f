import { ownCommand } from "../../base/commands/own-command.ts";
import { nameInline, quotedInline } from "../../base/quoted.ts";
import type { OpenStep } from "../base/state.ts";

/** Says how to record what became of an attempt. */
export function howToResolve(): string {
  return (
    "Find out whether it acted, and record that: with steps.resolve in a program, the tool step (action resolve), or " +
    `\`${ownCommand("continuity resolve")}\`.`
  );
}

const LONGEST_SHOWN = 300;

/** Describes what is recorded of an attempt, with foreign words quoted: type, key, input, and why it failed. */
export function attemptText(step: Pick<OpenStep, "step_type" | "idempotency_key"> & Partial<OpenStep>): string {
  const { step_type, idempotency_key, input_text, input_length, error } = step;
  return [
    nameInline(step_type),
    ...(idempotency_key === null ? [] : [`key ${quotedInline(idempotency_key, LONGEST_SHOWN)}`]),
    ...(input_text === undefined || input_text === "null"
      ? []
      : [`input ${quotedInline(input_text, LONGEST_SHOWN)}${input_length ? ` of ${input_length} characters` : ""}`]),
    ...(error === undefined ? [] : [`failed and may have acted: ${quotedInline(error, LONGEST_SHOWN)}`]),
  ].join(", ");
}
