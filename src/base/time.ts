/** A time, in milliseconds since 1970, as people read it: `2026-02-05 21:20:00 UTC`. */
export function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}
