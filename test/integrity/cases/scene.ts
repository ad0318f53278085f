import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import {
  createSessionIntegrity,
  openJournal,
  type IntegrityEvent,
  type Journal,
  type Layer0Config,
  type SessionIntegrity,
  type ToolUseContent,
} from "../../../src/integrity/index.ts";
import type { SessionKind } from "../kind.ts";
import { WRITERS } from "../messages.ts";

/** What a provider answers when its content filter stops an answer. */
export const FILTERED = Object.assign(
  new Error(
    '400 {"type":"error","error":{"type":"content_filtered","message":"Output blocked by content filtering policy"}}',
  ),
  { status: 400 },
);

/** A call of the tool `exec`. */
export function use(id: string): ToolUseContent {
  return { type: "tool_use", id, name: "exec", input: { for: id } };
}

export function text(value: unknown): string {
  return JSON.stringify(value);
}

/**
 * What a case of the specification plays on: a journal in a file of its own, and histories in the format of the
 * session.
 */
export class Scene {
  readonly #kind: SessionKind;
  #folder = "";
  #journal: Journal | undefined;
  #events: IntegrityEvent[] = [];

  constructor(kind: SessionKind) {
    this.#kind = kind;
    beforeEach(() => {
      this.#folder = newFolder();
      this.#journal = openJournal(this.journalFile);
      this.#events = [];
    });
    afterEach(() => this.#journal?.close());
  }

  get journal(): Journal {
    return this.#journal!;
  }

  get journalFile(): string {
    return join(this.#folder, "journal.sqlite");
  }

  integrity(config: Partial<Layer0Config> = {}): SessionIntegrity {
    return createSessionIntegrity({ journal: this.journal, config, onEvent: (event) => this.#events.push(event) });
  }

  /** The names of the events so far. */
  events(): string[] {
    return this.#events.map(({ event }) => event);
  }

  healthy(): unknown[] {
    const { user, says, calls, results } = WRITERS[this.#kind.format];
    return [user("Hello"), says("Hi"), user("Look"), calls("toolu_1"), ...results(["toolu_1", "seen"]), says("Done")];
  }

  orphaned(): unknown[] {
    const { user, says, results } = WRITERS[this.#kind.format];
    return [user("Hello"), says("Hi"), ...results(["toolu_gone", "lost"]), user("And now?"), says("Well")];
  }

  incomplete(): unknown[] {
    const { user, says, calls } = WRITERS[this.#kind.format];
    return [user("Hello"), calls("toolu_open"), user("And now?"), says("Well")];
  }
}
