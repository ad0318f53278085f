import { setTimeout as sleep } from "node:timers/promises";
import { isObject } from "../../transcript/json/json.ts";
import { logFailure } from "../base/log.ts";
import { messagesFromLeaf } from "../openclaw/entries.ts";
import type { SessionManager } from "../openclaw/session.ts";

/** How long a call waits; a transcript that does not take the answer delays one call of a run by this and no more. */
const LONGEST_WAIT_MS = 1_000;
const PAUSE_MS = 2;

/**
 * Waits until the transcript holds the answer that asks for a call. Up to 2026.4.2 the agent begins a call before its
 * listeners have stored the answer: OpenClaw that is killed then has had an effect that its transcript does not know.
 */
export class StoredCalls {
  readonly #manager: SessionManager | undefined;
  /** The leaf at the last model call: its answer is behind it. */
  #before: string | null | undefined;
  #isGivenUp = false;

  constructor(manager: SessionManager | undefined) {
    this.#manager = manager;
  }

  /** To be called before each model call. Never throws. */
  asked(): void {
    try {
      this.#before = this.#manager?.getLeafId?.();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Returns when the transcript holds the answer; undefined when it does already. Neither throws nor rejects. */
  until(callId: string): Promise<void> | undefined {
    return this.#has(callId) ? undefined : this.#wait(callId);
  }

  async #wait(callId: string): Promise<void> {
    const end = performance.now() + LONGEST_WAIT_MS;
    for (let pause = 0; !this.#has(callId); pause = PAUSE_MS) {
      if (performance.now() > end) this.#giveUp(new Error("expected the answer in the transcript before its calls"));
      await sleep(pause);
    }
  }

  #has(callId: string): boolean {
    const manager = this.#manager;
    if (this.#isGivenUp || !manager?.getLeafId || !manager.getEntry) return true;
    try {
      for (const message of messagesFromLeaf(manager, this.#before)) if (asksFor(message, callId)) return true;
      return false;
    } catch (error) {
      this.#giveUp(error);
      return true;
    }
  }

  #giveUp(error: unknown): void {
    this.#isGivenUp = true;
    logFailure("journal", error, "calls of this run begin without waiting for the transcript");
  }
}

function asksFor({ role, content }: Record<string, unknown>, callId: string): boolean {
  if (role !== "assistant" || !Array.isArray(content)) return false;
  return (content as unknown[]).some((block) => isObject(block) && block.id === callId);
}
