/** Runs stored transcripts through a real installation of OpenClaw. */
export { startOpenClaw } from "./driver.ts";
export type { OpenClawDriver, OpenClawOptions } from "./driver.ts";
export { makeHome, WORKSPACE_NOTE } from "./home.ts";
export { entryId, toJsonl, toTranscript } from "./transcript.ts";
export type { StoredMessage, TranscriptEntry, TranscriptOptions } from "./transcript.ts";
export type { ModelApi, RunInput, RunResult, SessionInput, TurnResult } from "./types.ts";
