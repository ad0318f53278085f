import { isoOf } from "./time.ts";

/** A moment as part of a file's name: sorts by time and has no character that a file system refuses. */
export function fileTime(at: Date | string | number): string {
  return (isoOf(at instanceof Date ? at.getTime() : at) ?? "no-valid-time").replaceAll(":", "-").replace(".", "-");
}
