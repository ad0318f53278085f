import { integrityError } from "./errors.ts";
import type { MessageFormat } from "./types.ts";

/** The formats in which a session can store its messages. */
export const MESSAGE_FORMATS: readonly MessageFormat[] = ["anthropic", "openclaw"];

/** Returns a few words on a value of any kind, for an error message: never its content. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : typeof value === "string" ? JSON.stringify(value) : typeof value;
}

/** Builds the error for an argument that a function cannot use. */
export function badInput(expected: string, found: string, todo: string): Error {
  return integrityError("bad-input", { expected, found, todo });
}

/** Throws an IntegrityError `bad-input` for a format that no session has. */
export function assertFormat(format: unknown): asserts format is MessageFormat {
  if (MESSAGE_FORMATS.includes(format as MessageFormat)) return;
  throw badInput(
    `a format: ${MESSAGE_FORMATS.map((name) => JSON.stringify(name)).join(" or ")}`,
    kindOf(format),
    'Correct the option `format`. For other APIs, such as OpenAI\'s, use "anthropic" and gate.heal of guardCall.',
  );
}
