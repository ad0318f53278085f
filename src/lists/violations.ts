import type { RepairAction } from "../transcript/repair.ts";
import type { Violation, ViolationKind } from "../transcript/violations.ts";

/**
 * Rules of the APIs that a list can break besides the kinds of {@link ViolationKind}; docs/library.md explains them.
 */
export const API_RULES = [
  "blank_text",
  "duplicate_call_id",
  "duplicate_item_id",
  "duplicate_tool_use_id",
  "first_role",
  "function_response_count",
  "function_response_match",
  "invalid_block",
  "invalid_item",
  "invalid_message",
  "invalid_part",
  "lone_surrogate",
  "message_field",
  "missing_output",
  "missing_server_result",
  "not_json",
  "output_place",
  "reasoning_content",
  "reasoning_item",
  "role",
  "role_order",
  "thought_signature",
  "tool_use_order",
  "unexpected_output",
  "unexpected_server_result",
  "unexpected_tool_result",
] as const;

/** Kinds that the lists of frameworks can have besides. */
export type ListKind =
  | ViolationKind
  | (typeof API_RULES)[number]
  /** The arguments of a call were cut off, are missing, or are no object. */
  | "invalid_arguments"
  /** A result is null where the form asks for a text. */
  | "invalid_result";

/** A violation in a list, and its place: see {@link Violation}. */
export interface ListViolation extends Omit<Violation, "kind"> {
  kind: ListKind;
}

/** How a violation was repaired. `rewrite`: what breaks the rule was written anew, by the rules of the API. */
export type ListAction = RepairAction | "rewrite";

/** A violation and how it was repaired; indices are those of the given list. */
export interface ListRepair extends ListViolation {
  action: ListAction;
}

/** What the repair of a list without foreign rows gives. */
export interface RepairedRows {
  /** The given list itself when there was no violation. */
  readonly rows: readonly unknown[];
  readonly repairs: readonly ListRepair[];
}
