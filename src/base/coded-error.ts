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
export function refusalsOf<Code extends string, Refusal extends CodedError<Code>>(
  Class: new (code: Code, message: string, options?: ErrorOptions) => Refusal,
): (code: Code, parts: RefusalParts) => Refusal {
  return (code, { expected, found, todo, cause }) =>
    new Class(code, `expected ${expected}; found ${found}. ${todo}`, cause === undefined ? undefined : { cause });
}

/** The message of anything that was thrown; never throws itself. */
export function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    // The thrown value cannot be converted to a string.
    return "an error without words";
  }
}
