/**
 * Writing files on a machine that has other users: what they have put there is not written to, and what is written can
 * be read by whom it is for.
 */
export { createFile } from "./create.ts";
export { Draft, replaceFile, type DraftOptions } from "./draft.ts";
export { UnsafePathError } from "./errors.ts";
export { Folder, makeFolder } from "./folder.ts";
export { keepPrivate, type ForeignFile } from "./private-file.ts";
export type { Owner } from "./owner.ts";
export { placeOf, writeUnattended, type PlaceOptions } from "./place.ts";
