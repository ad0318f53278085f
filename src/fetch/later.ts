import type { BegunCall, ModelCall, rememberCalls } from "./model-call.ts";

/** How long the code may take: in a browser it comes over the network, where it can hang. */
const MAX_MS = 10_000;

/** The half of the code that most programs never need: what is done with a refusal, and with recorded calls. */
export class Later {
  #begin: ReturnType<typeof rememberCalls> | undefined;

  /** Begins a call; undefined while nothing is loaded: no request was refused then, and none has taught anything. */
  begin(begun: BegunCall): ModelCall | undefined {
    return this.#begin?.(begun);
  }

  /** Loads the code. Never rejects: what cannot be loaded, or not before an abort, is missing afterwards. */
  async load(signal: AbortSignal | undefined): Promise<void> {
    if (this.#begin || signal?.aborted) return;
    const loaded = await new Promise<typeof import("./model-call.ts") | undefined>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        resolve(undefined);
      };
      const timer = setTimeout(end, MAX_MS);
      import("./model-call.ts").then(resolve, end).finally(end);
      signal?.addEventListener?.("abort", end, { once: true });
    });
    if (loaded) this.#begin ??= loaded.rememberCalls();
  }
}
