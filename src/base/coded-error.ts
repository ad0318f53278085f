/** What the message of every refusal says, so that the person who reads it can act. */
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

/** The builder of one room's errors: their message says what was expected, what was found and what to do. */
export function refusalsOf<Code extends string, Refusal extends CodedError<Code>>(
  Class: new (code: Code, message: string, options?: ErrorOptions) => Refusal,
): (code: Code, parts: RefusalParts) => Refusal {
  return (code, { expected, found, todo, cause }) =>
    new Class(code, `expected ${expected}; found ${found}. ${todo}`, cause === undefined ? undefined : { cause });
}

/** What went wrong, in the words of the error. */
export function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    // Whatever was thrown cannot be told as text.
    return "an error without words";
  }
}
