import { toIso } from "./time.ts";

/** A point in time as part of a file name: sorts by time, and has no character that a file system refuses. */
export function fileTime(at: Date | string | number): string {
  return (toIso(at instanceof Date ? at.getTime() : at) ?? "no-valid-time").replaceAll(":", "-").replace(".", "-");
}
