/** What is said of the gateways that run: a patch does nothing for one that was started before it. */
import { formatMinute } from "../base/time.ts";
import type { GatewayAtHand, Step } from "./checkup.ts";
import { printable, WHOLE } from "./printable.ts";

/** Restarts the gateway of OpenClaw's service. */
export const RESTART = "openclaw gateway restart";

const WORDS: Readonly<Record<GatewayAtHand["guard"], Step>> = {
  patched: { sentence: "is protected." },
  earlier: {
    sentence: "is NOT protected: it was started before its OpenClaw was patched. Start it again:",
    command: RESTART,
  },
  off: { sentence: "is NOT protected: it was started with OPENCLAW_INTEGRITY=off. Start it without that." },
  unpatched: { sentence: "is NOT protected: its OpenClaw is not patched." },
  unknown: { sentence: "may not be protected: which OpenClaw it runs, and whether that is patched, is unknown." },
};

/** Whether a gateway with these sessions runs without the guard. */
export function isUnguarded({ guard, stateDirectory }: GatewayAtHand): boolean {
  return stateDirectory === undefined && (guard === "earlier" || guard === "off");
}

/** Returns a sentence for a gateway that runs, and the command that protects it, where a restart is enough. */
export function gatewayWords({
  pid,
  since,
  stateDirectory,
  guard,
}: GatewayAtHand): Step & { readonly isGood: boolean } {
  const { sentence, command } = WORDS[guard];
  const started = since === undefined ? "" : `, since ${formatMinute(since)} UTC`;
  const where = stateDirectory === undefined ? "" : `, with its sessions in ${printable(stateDirectory, WHOLE)}`;
  return {
    sentence: `The gateway that runs (process ${pid}${started}${where}) ${sentence}`,
    isGood: guard === "patched",
    ...(command !== undefined && { command }),
  };
}

/** Returns {@link gatewayWords} of all, or that none runs; nothing where that is not known. */
export function gatewaySteps(gateways: readonly GatewayAtHand[] | undefined): (Step & { readonly isGood: boolean })[] {
  if (gateways?.length === 0) return [{ sentence: "No gateway runs here now.", isGood: true }];
  return (gateways ?? []).map(gatewayWords);
}
