/** Parses durations on the command line. */
import { InvalidArgumentError } from "commander";

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Parses a duration like `30d`, `12h`, `90m` or `2w`. Returns milliseconds. */
export function duration(value: string): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(value.trim()) ?? [];
  if (count === undefined) throw new InvalidArgumentError("A number and m, h, d or w is needed, 30d for instance.");
  return Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}
