/** The last time that a Date can hold, in milliseconds since 1970. */
const MAX_TIME = 8.64e15;
/** The longest text that is parsed as a time. */
const MAX_TEXT_LENGTH = 100;

/** Shown in place of a foreign time that is invalid. */
export const NO_TIME = "no valid time";

/** Reads a foreign time, a number or a text, as milliseconds since 1970; undefined for any other value. */
export function toMoment(value: unknown): number | undefined {
  const milliseconds = typeof value === "string" && value.length <= MAX_TEXT_LENGTH ? Date.parse(value) : value;
  return typeof milliseconds === "number" && Math.abs(milliseconds) <= MAX_TIME ? milliseconds : undefined;
}

/** A foreign time in ISO 8601; undefined when it is invalid. */
export function toIso(value: unknown): string | undefined {
  const moment = toMoment(value);
  return moment === undefined ? undefined : new Date(moment).toISOString();
}

/** A foreign time (milliseconds since 1970, or a text) for people: `2026-02-05 21:20:00 UTC`. Never throws. */
export function formatTime(value: unknown): string {
  const iso = toIso(value);
  return iso === undefined ? NO_TIME : `${iso.slice(0, -".000Z".length).replace("T", " ")} UTC`;
}

/** A foreign time to the minute, without "UTC": `2026-02-05 21:20`. */
export function formatMinute(value: unknown): string {
  return toIso(value)?.slice(0, -":00.000Z".length).replace("T", " ") ?? NO_TIME;
}

/** The day of a foreign time: `2026-02-05`. */
export function formatDay(value: unknown): string {
  return toIso(value)?.split("T")[0] ?? NO_TIME;
}

/** A point in time as part of a file name: sorts by time, and has no character that a file system refuses. */
export function timeInFileName(at: Date | string | number): string {
  return (toIso(at instanceof Date ? at.getTime() : at) ?? "no-valid-time").replaceAll(":", "-").replace(".", "-");
}
