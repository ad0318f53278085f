/** The last moment that a Date can hold, and the longest text that is read as a time. */
const LAST = 8.64e15;
const LONGEST = 100;

/** What is said where a time of others is none. */
export const NO_TIME = "no valid time";

/** Milliseconds since 1970 of a time of others, a number or a text; undefined when it is none, whatever it is. */
export function momentOf(value: unknown): number | undefined {
  const milliseconds = typeof value === "string" && value.length <= LONGEST ? Date.parse(value) : value;
  return typeof milliseconds === "number" && Math.abs(milliseconds) <= LAST ? milliseconds : undefined;
}

/** A time of others in ISO 8601; undefined when it is none. */
export function isoOf(value: unknown): string | undefined {
  const moment = momentOf(value);
  return moment === undefined ? undefined : new Date(moment).toISOString();
}

/** A time of others, milliseconds since 1970 or a text, as people read it: `2026-02-05 21:20:00 UTC`. Never throws. */
export function timeOf(value: unknown): string {
  const iso = isoOf(value);
  return iso === undefined ? NO_TIME : `${iso.slice(0, -".000Z".length).replace("T", " ")} UTC`;
}

/** The same to the minute, and without saying that it is UTC. */
export function minuteOf(value: unknown): string {
  return isoOf(value)?.slice(0, -":00.000Z".length).replace("T", " ") ?? NO_TIME;
}

/** The day of it. */
export function dayOf(value: unknown): string {
  const iso = isoOf(value);
  return iso === undefined ? NO_TIME : iso.slice(0, iso.indexOf("T"));
}
