/** Numbers on the command line. */
import { InvalidArgumentError } from "commander";

/** A whole number from 1 on. */
export function atLeastOne(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("A number from 1 on is needed.");
  return Number(value);
}
