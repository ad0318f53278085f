import type { LearnedRow, LearnedScope } from "./rows.ts";
import { type Connection, parseStored, type Statement } from "./sqlite.ts";
import { toJson } from "../transcript/json/json.ts";

/** Something that was learned of a route or a session. Says what form is needed; holds no words of a conversation. */
export interface LearnedFact {
  /** Which thing is known. */
  what: string;
  value: unknown;
  /** Milliseconds since 1970. */
  learnedAt: number;
}

/** A {@link LearnedFact} with the route or the session that it is about. */
export interface LearnedOf extends LearnedFact {
  /** The route's name, or the session's id. */
  name: string;
}

/**
 * What was learned of routes (who is asked, where, for which model) and of sessions, one value for each `what`. Every
 * method throws a JournalError when the database fails.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Learned, openJournal } from "openclaw-integrity/journal";
 *
 * const journal = openJournal(":memory:");
 * const learned: Learned = journal.learned;
 * learned.put("route", "openai-completions example", "most_pictures", 50, 1_000);
 * learned.put("route", "openai-completions example", "most_pictures", 20, 2_000);
 * assert.deepEqual(learned.read("route", "openai-completions example"), [
 *   { what: "most_pictures", value: 20, learnedAt: 2_000 },
 * ]);
 * assert.equal(learned.forget("route", "openai-completions example"), 1);
 * journal.close();
 * ```
 */
export class Learned {
  readonly #put: Statement;
  readonly #of: Statement;
  readonly #list: Statement;
  readonly #forget: Statement;
  readonly #prune: Statement;

  constructor(connection: Connection) {
    this.#put = connection.prepare(
      "INSERT OR REPLACE INTO learned (scope, name, what, value, learned_at) VALUES (?, ?, ?, ?, ?)",
    );
    this.#of = connection.prepare("SELECT * FROM learned WHERE scope = ? AND name = ? ORDER BY learned_at, what");
    this.#list = connection.prepare("SELECT * FROM learned WHERE scope = ? ORDER BY name, learned_at, what");
    this.#forget = connection.prepare(
      "DELETE FROM learned WHERE scope = ?1 AND (name = ?2 OR ?2 IS NULL) AND (what = ?3 OR ?3 IS NULL)",
    );
    this.#prune = connection.prepare("DELETE FROM learned WHERE learned_at < ?");
  }

  /** Records a value, which takes the place of the earlier one. `at` is in milliseconds since 1970. */
  put(scope: LearnedScope, name: string, what: string, value: unknown, at: number): void {
    this.#put.run(scope, name, what, toJson(value ?? null), Math.trunc(at));
  }

  /** Returns what is known of one route or session, in the order in which it was learned. */
  read(scope: LearnedScope, name: string): LearnedFact[] {
    return this.#of.all<LearnedRow>(scope, name).map(toFact);
  }

  /** Returns what is known of all routes or sessions, by name and then in the order in which it was learned. */
  list(scope: LearnedScope): LearnedOf[] {
    return this.#list.all<LearnedRow>(scope).map((row) => ({ name: row.name, ...toFact(row) }));
  }

  /**
   * Deletes one thing known of a route or session, or all that is known of it, or of every one. Returns how many things
   * that were.
   */
  forget(scope: LearnedScope, name?: string, what?: string): number {
    return this.#forget.run(scope, name ?? null, what ?? null).changes;
  }

  /** Deletes what was learned before a time, in milliseconds since 1970. Returns how many things that were. */
  prune(before: number): number {
    return this.#prune.run(Math.trunc(before)).changes;
  }
}

function toFact({ what, value, learned_at: learnedAt }: LearnedRow): LearnedFact {
  return { what, value: parseStored(value), learnedAt };
}
