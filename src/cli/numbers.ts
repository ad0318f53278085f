/** Parses numbers on the command line. */
import { InvalidArgumentError } from "commander";

/** Parses a whole number from 1 to 999999999. Throws commander's InvalidArgumentError for everything else. */
export function atLeastOne(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("A whole number from 1 to 999999999 is needed.");
  return Number(value);
}
