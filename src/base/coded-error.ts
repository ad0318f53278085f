/** The parts of an error message that lets its reader act: what was expected, what was found, what to do. */
export interface RefusalParts {
  readonly expected: string;
  readonly found: string;
  readonly todo: string;
  readonly cause?: unknown;
}

/** An error with a code for programs; the message is for the person who has to act. */
export abstract class CodedError<Code extends string> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Returns the function that builds a room's errors, with messages of the form "expected ...; found .... <what to do>".
 */
export function makeErrorBuilder<Code extends string, Refusal extends CodedError<Code>>(
  Class: new (code: Code, message: string, options?: ErrorOptions) => Refusal,
): (code: Code, parts: RefusalParts) => Refusal {
  return (code, { expected, found, todo, cause }) =>
    new Class(code, refusalText(expected, found, todo), cause === undefined ? undefined : { cause });
}

/** Joins the parts of a message. The full stop of `found`, where that is the sentence of another error, is cut. */
function refusalText(expected: string, found: string, todo: string): string {
  return `expected ${expected}; found ${found.replace(/\.$/, "")}. ${todo}`;
}

/** Returns where a database is, for the beginning of what was found there. */
export function databaseAt(file: string): string {
  return file === ":memory:" ? "the database in memory" : file;
}

/** Returns what is wrong with the path of a database; undefined for a path, whatever is there. */
export function whyNoPath(file: unknown): string | undefined {
  if (typeof file !== "string") return file === null ? "null" : `a value of type ${typeof file}`;
  if (file.includes("\0")) return "a text with a NUL character";
  return file.trim() === "" ? "an empty text, as of a variable that is not set" : undefined;
}

/** The message of anything that was thrown; never throws itself. */
export function describeError(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    // The thrown value cannot be converted to a string.
    return "an error without words";
  }
}
