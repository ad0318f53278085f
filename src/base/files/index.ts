/**
 * Reads and writes files safely on a machine with other users: no file or link that another user planted is written to
 * or followed, and private files can be read by their owner only.
 */
export { createFile, createMissing } from "./create.ts";
export { Draft, replaceFile, type DraftOptions } from "./draft.ts";
export { UnsafePathError } from "./errors.ts";
export { Folder, makeFolder } from "./folder.ts";
export { keepPrivate, type ForeignFile } from "./private-file.ts";
export type { Owner } from "./owner.ts";
export { resolvePlace, writeUnattended, type PlaceOptions } from "./place.ts";
export { readRegular } from "./read-regular.ts";
export { strangerAt, TRUSTED_FOLDERS, type Stranger } from "./stranger.ts";
