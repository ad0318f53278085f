/** OpenClaw's own session stores, JSONL and SQLite. */
export { transcriptOf } from "./archive-file.ts";
export { StoreError } from "./errors.ts";
export type { StoreErrorCode } from "./errors.ts";
export { restoreFile } from "./restore-file.ts";
export type { RestoredFile, RestoreFileOptions } from "./restore-file.ts";
export { restoreRows } from "./restore-rows.ts";
export type { RestoredRows, RestoreRowsOptions } from "./restore-rows.ts";
