import type { GatewayEvent } from "../../harness/gateway/index.ts";
import { replyText } from "../../harness/gateway/reply.ts";
import { answerTo, makeTag } from "./tags.ts";

/** The end of a run, as a client is told of it. */
export interface Closing {
  state: "final" | "error" | "aborted";
  text: string;
  error: string;
}

const STATES = new Set(["final", "error", "aborted"]);

/** What the people of a gateway have been shown: the ends of runs, and what is said in a conversation otherwise. */
export class Witness {
  readonly #closings = new Map<string, Closing[]>();
  readonly #firstWords = new Map<string, number>();
  #shown = "";

  take({ event, payload }: GatewayEvent): void {
    const state = payload["state"] as Closing["state"];
    if (event !== "chat") return;
    const text = replyText(payload["message"]);
    const run = String(payload["runId"]);
    if (text !== "" && !this.#firstWords.has(run)) this.#firstWords.set(run, performance.now());
    if (!STATES.has(state)) return;
    const error = typeof payload["errorMessage"] === "string" ? payload["errorMessage"] : "";
    this.show(`${text}\n${error}`);
    this.#closings.set(run, [...this.closings(run), { state, text, error }]);
  }

  /** What is shown besides, the history of a conversation for instance. */
  show(text: string): void {
    this.#shown += `${text}\n`;
  }

  /** The ends of a run so far; 2026.2.3 tells one of each attempt. */
  closings(run: string): readonly Closing[] {
    return this.#closings.get(run) ?? [];
  }

  /** When a client was told the first word of a run, by the clock of `performance`. */
  firstWord(run: string): number | undefined {
    return this.#firstWords.get(run);
  }

  isAnswered(conversation: string, name: string): boolean {
    return this.#shown.includes(answerTo(conversation, name));
  }

  /** Whether a person was told of a message by its words. */
  isNamed(conversation: string, name: string): boolean {
    return this.#shown.includes(makeTag(conversation, name));
  }
}
