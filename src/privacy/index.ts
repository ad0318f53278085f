/** What this project keeps of conversations, and how it is deleted. For users it is described in docs/privacy.md. */
export { setAsideDatabases, damagedHoldings, damagedInUse, filesMentioning, removeDamaged } from "./damaged.ts";
export {
  followDeletions,
  GRACE_MS,
  markedDeleted,
  noteSessions,
  subjectOfDeletion,
  type Deletions,
} from "./deletions.ts";
export { isBeingWritten, type OwnFile } from "./holders/archives.ts";
export { isAbout } from "./holders/file-holders.ts";
export type { Holding, HoldingKind, Subject } from "./holders/holder.ts";
export { KnownSessions } from "./holders/known-sessions.ts";
export { leftBehind, type LeftBehind } from "./left-behind.ts";
export { gatherNames, storeNow, type Names, type StoreNow } from "./names.ts";
export { openclawCopies, type OpenClawCopy } from "./openclaw-copies.ts";
export { assertIdle, listHoldings, namesAt, purge, PURGE_STEPS, type Purged, type PurgePlace } from "./purge.ts";
export type { WorkPlace } from "./holders/recorded-work.ts";
export { agedArchives, removeArchives, type AgedArchives } from "./retention.ts";
export { ofConversation, ofSession, findSubject, type NamedSubject } from "./subject.ts";
