/** Scans stored sessions for faults and repairs them. */
export { toConversation, examineLoaded, examine, isSound } from "./examine.ts";
export type { Conversation, Examination, IndexFault } from "./examine.ts";
export { mend } from "./mend.ts";
export { saved, ScanMemory } from "./memory.ts";
export { repairStored } from "./repair.ts";
export type { RepairedSession, RepairStoredOptions } from "./repair.ts";
export { asKnown, needsRepair, scan } from "./scan.ts";
export type { ScanOptions, ScanReport, ScannedSession } from "./scan.ts";
export {
  countFaults,
  ENTRY_WORDS,
  describeFaults,
  INDEX_WORDS,
  countFaultKinds,
  RECORD_WORDS,
  describeRepairs,
  skippedWords,
  describeState,
  VIOLATION_WORDS,
} from "./words.ts";
