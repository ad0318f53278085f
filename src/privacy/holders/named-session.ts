/** A session or a conversation that a file of this project names. */
export interface NamedSession {
  readonly sessionId?: string;
  readonly sessionKey?: string;
  /** Whether the file contains its text, and not only ids, hashes and kinds. */
  readonly hasWords: boolean;
}

/** {@link NamedSession} as a row of a database. */
export interface NamedRow {
  readonly id: unknown;
  readonly key: unknown;
  readonly words: unknown;
}

export function namedSession({ id, key, words }: NamedRow): NamedSession {
  return {
    ...(typeof id === "string" && id !== "" && { sessionId: id }),
    ...(typeof key === "string" && key !== "" && { sessionKey: key }),
    hasWords: Number(words) > 0,
  };
}
