/** The options of the public functions, and checks of what their callers pass. */

/**
 * `keep`: calls and results stay in their stored spelling. `openclaw`: they become `toolCall` blocks and `toolResult`
 * messages, the only spelling that OpenClaw's adapters send.
 */
export type Spelling = "keep" | "openclaw";

/** Throws a TypeError, which names the function, unless `messages` is a list. */
export function assertList(name: string, messages: unknown): void {
  if (Array.isArray(messages)) return;
  const found = typeof messages === "string" ? "string" : nameFound(messages);
  throw new TypeError(`${name}() expects a list of messages, found ${found}.`);
}

/** Throws a TypeError, which names the function and the spellings, for a value that is none. */
export function assertSpelling(name: string, spelling: unknown): void {
  if (spelling === "keep" || spelling === "openclaw") return;
  throw new TypeError(`${name}() expects the spelling "keep" or "openclaw", found ${nameFound(spelling)}.`);
}

/** Returns in a few words what was passed in place of what a function expects. */
export function nameFound(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return value === null ? "null" : typeof value === "object" ? "an object" : typeof value;
}
