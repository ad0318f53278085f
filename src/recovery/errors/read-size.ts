import type { Saying } from "./patterns/saying.ts";

/** The numbers that a refusal names; see the groups of the patterns. */
export type SaidSize = Partial<Record<"limit" | "count" | "all" | "output" | "over", number>>;

/** What a unit of bytes is worth at least: some count a megabyte as a million. */
const UNITS: Readonly<Record<string, number>> = {
  kb: 1e3,
  kib: 2 ** 10,
  mb: 1e6,
  mib: 2 ** 20,
  gb: 1e9,
  gib: 2 ** 30,
};

/**
 * Returns the numbers in the first of the sayings that the words have, none of them where it names none; undefined
 * where they have none of the sayings.
 */
export function readSize(sayings: readonly Saying[], words: string): SaidSize | undefined {
  for (const [, said] of sayings) {
    const found = said.exec(words);
    if (!found) continue;
    const size: SaidSize = {};
    const { unit, ...numbers } = found.groups ?? {};
    for (const [name, digits] of Object.entries(numbers)) {
      const number = Math.floor(Number(digits?.replaceAll(",", "")) * (UNITS[unit ?? ""] ?? 1));
      if (Number.isSafeInteger(number) && number > 0) size[name as keyof SaidSize] = number;
    }
    return size;
  }
  return undefined;
}
