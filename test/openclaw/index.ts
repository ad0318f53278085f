/** Runs stored transcripts through a real installation of OpenClaw. */
export { startOpenClaw, WORKSPACE_NOTE } from "./driver.ts";
export type { OpenClawDriver, OpenClawOptions } from "./driver.ts";
export { entryId, toJsonl, toTranscript } from "./transcript.ts";
export type { StoredMessage, TranscriptEntry, TranscriptOptions } from "./transcript.ts";
export type { ModelApi, RunInput, RunResult, SessionInput, TurnResult } from "./types.ts";
