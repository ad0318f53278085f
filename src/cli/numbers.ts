/** Parses numbers on the command line. */
import { InvalidArgumentError } from "commander";

/** Parses a whole number of at least 1. */
export function atLeastOne(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("A whole number of at least 1 is needed.");
  return Number(value);
}
