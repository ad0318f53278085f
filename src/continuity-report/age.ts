/** The units of durations, the largest first, each with its length in milliseconds. */
const UNITS = [
  ["day", 24 * 60 * 60 * 1000],
  ["hour", 60 * 60 * 1000],
  ["minute", 60 * 1000],
  ["second", 1000],
] as const;

/** Formats a duration in its largest unit: `3 days`, `5 hours`, `0 seconds`. */
export function ageText(milliseconds: number): string {
  const [unit, length] = UNITS.find(([, one]) => milliseconds >= one) ?? UNITS.at(-1)!;
  const count = Math.max(0, Math.floor(milliseconds / length));
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
