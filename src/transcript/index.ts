/**
 * Validates and repairs OpenClaw's stored histories. Pure: no I/O, no clock, no randomness.
 */
export { repair, validateToolResultPairing } from "./repair.ts";
export { validate } from "./validate.ts";
export type { Repair, RepairAction, RepairOptions, RepairResult, RepairStrategy } from "./repair.ts";
export type { ValidateOptions } from "./validate.ts";
export type { Violation, ViolationKind } from "./violations.ts";
