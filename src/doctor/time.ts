/** The last moment that a Date can hold. */
const LAST = 8.64e15;

/** A time as people read it, to the minute, in UTC; stored times may be anything. */
export function minuteOf(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "unknown" : new Date(milliseconds).toISOString().slice(0, -8).replace("T", " ");
}

/** Milliseconds since 1970 of a stored time, a number or a text; undefined when it is none. */
export function momentOf(value: unknown): number | undefined {
  const milliseconds = typeof value === "string" ? Date.parse(value) : value;
  return typeof milliseconds === "number" && Math.abs(milliseconds) <= LAST ? milliseconds : undefined;
}
