/** A session or a conversation as some file of ours names it. */
export interface NamedSession {
  readonly sessionId?: string;
  readonly sessionKey?: string;
  /** Whether words of it are there, and not ids, hashes and kinds only. */
  readonly hasWords: boolean;
}

/** The same as a row of a database. */
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
