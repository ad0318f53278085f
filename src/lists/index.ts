/**
 * Validates and repairs lists of messages in every known form. Pure: no I/O, no clock, no randomness.
 */
export { repair, validate } from "./public.ts";
export { validateToolResultPairing } from "../transcript/repair.ts";
export type { ListChange, RepairOptions, RepairResult, ValidateOptions } from "./public.ts";
export type { RepairAction, RepairStrategy } from "../transcript/repair.ts";
export type { ListAction, ListKind, ListRepair, ListViolation } from "./violations.ts";
