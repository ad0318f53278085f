/** The half of the canary that starts an OpenClaw, in a process that may be ended at any time. */
import { prove, type ProofReport } from "../../prove/index.ts";

/** Corrupt in a way that every unpatched release fails at, with a result that may be lost. */
export const TRIAL_SESSION = "displaced-result";

/** A slow machine takes long; what hangs is given up long before. */
const TIMEOUT_MS = 1_800_000;

/** What is tried. */
export interface TrialRequest {
  readonly root: string;
  /** URL of the hook, where the gateway's OpenClaw is patched in memory. */
  readonly hook?: string | undefined;
}

/** Has an OpenClaw answer a corrupt conversation, in a home of its own and with a provider of its own. */
export class Trial {
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Returns what came of it. Rejects when the process ends. */
  async run({ root, hook }: TrialRequest): Promise<Pick<ProofReport, "verdict" | "sentence">> {
    const only = [TRIAL_SESSION];
    const options = { node: process.execPath, only, hook, timeoutMs: TIMEOUT_MS, signal: this.#signal };
    const report = await prove(root, options);
    this.#signal.throwIfAborted();
    return judgeTrial(report);
  }
}

/**
 * What a report says of the patch. Against it speak a refusal of the provider and a lost result alone: an OpenClaw that
 * ends by itself or answers with an error may have had no time (2026.9 gives up leases of its own on a machine with much
 * other work).
 */
export function judgeTrial({ verdict, sentence, sessions }: ProofReport): Pick<ProofReport, "verdict" | "sentence"> {
  const failed = sessions.find(({ passed }) => !passed);
  if (verdict !== "patch") return { verdict, sentence };
  const isRefuted = failed !== undefined && (failed.refusal !== undefined || failed.answered === failed.messages);
  return { verdict: isRefuted ? "patch" : "environment", sentence: failed?.outcome ?? sentence };
}
