/**
 * How long a message is taken to be on its way to its run. By then OpenClaw's own record shows the run, or there is
 * none, because the message was a command.
 */
const ON_ITS_WAY_MS = 60_000;

/**
 * The conversations that a message has just arrived in. OpenClaw 2026.9 ends a turn whose transcript changes while the
 * turn reads it, and records the run only behind that, so nobody else may write into the transcript until then.
 */
export class Arrivals {
  readonly #since = new Map<string, number>();

  arrived(conversation: string, now: number = Date.now()): void {
    this.#since.set(conversation, now);
  }

  /** The run that has ended at that time answered what had arrived before. */
  ended(conversation: string, at: number = Date.now()): void {
    if ((this.#since.get(conversation) ?? Infinity) <= at) this.#since.delete(conversation);
  }

  has(conversation: string | undefined, now: number = Date.now()): boolean {
    if (conversation === undefined) return false;
    const since = this.#since.get(conversation);
    if (since === undefined) return false;
    if (now - since < ON_ITS_WAY_MS) return true;
    this.#since.delete(conversation);
    return false;
  }
}
