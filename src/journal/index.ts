/** Durable facts about sessions: tool cycles, checkpoints, incidents, in one SQLite file. */
export { canonicalJson } from "./canonical-json.ts";
export { Checkpoints, type Checkpoint, type NewCheckpoint } from "./checkpoints.ts";
export { contentHash, EMPTY_HASH, inputHash } from "./content-hash.ts";
export { JournalError, type JournalErrorCode } from "./errors.ts";
export { Incidents, type JournalIncident } from "./incidents.ts";
export { Journal, journalFile, openJournal, type JournalOptions } from "./journal.ts";
export { openFile, type FileOptions } from "./open-file.ts";
export { Learned, type LearnedFact, type LearnedOf } from "./learned.ts";
export type { CycleState, LearnedScope, Operation } from "./rows.ts";
export { SCHEMA_VERSION, type Schema } from "./schema.ts";
export { openSoundJournal, type SoundJournalOptions } from "./open-sound.ts";
export { setAside } from "./set-aside.ts";
export type { Connection, NoPromise, Statement } from "./sqlite.ts";
export type { KnownOutcome } from "../transcript/interrupted.ts";
export { readOutcomes, storedOutcomes, type JournalledOutcome } from "./outcomes.ts";
export { UnansweredMessages, type UnansweredMessage } from "./unanswered-messages.ts";
export { ToolCycles, type CycleResult, type NewCycle, type ToolCycle } from "./tool-cycles.ts";
