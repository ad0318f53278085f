import { isEnabled } from "../../guard/base/switch.ts";
import type { PatchState } from "../../patching/patch-state.ts";
import type { IncidentAction } from "./incident.ts";

const ACTIONS: Readonly<Record<IncidentAction, string>> = {
  repaired: "repaired",
  rolled_back: "taken back to a checkpoint",
  waiting: "repaired once they are no longer being answered",
  left: "left to the core patch",
  kept: "kept as they are",
  detected: "not repaired (autoRepair is off)",
};

/** What the operator reads when the guarantee is not there. */
export function patchWarning(patch: PatchState): string {
  return `the core patch is not active: ${withoutPatch(patch)}`;
}

/** Why it is not there, what holds meanwhile and what to do. */
export function withoutPatch({ fate, release, sentence }: PatchState): string {
  const [what, todo] = reason(fate, release, sentence);
  return `${what} Until then this plugin repairs stored sessions, and requests are not guarded. ${todo}`;
}

function reason(fate: PatchState["fate"], release: string, sentence: string): [what: string, todo: string] {
  if (fate !== "patched")
    return [sentence.replace(/ Run: .*/, ""), "Run `npx openclaw-integrity apply` and restart the gateway."];
  if (!isEnabled())
    return [
      `OpenClaw ${release} is patched, but OPENCLAW_INTEGRITY=off turns the patch off.`,
      "Unset it and restart the gateway.",
    ];
  return [`OpenClaw ${release} was patched after this gateway had started.`, "Restart the gateway."];
}

/** What was found and done, in a sentence: counts only. */
export function foundWords(actions: readonly IncidentAction[]): string {
  const kinds = (Object.keys(ACTIONS) as IncidentAction[])
    .map((action) => ({ action, times: actions.filter((one) => one === action).length }))
    .filter(({ times }) => times > 0);
  const subject = actions.length === 1 ? "1 stored session was" : `${actions.length} stored sessions were`;
  return `${subject} found faulty: ${kinds.map(({ action, times }) => `${times} ${ACTIONS[action]}`).join(", ")}. /l0-incidents has the details.`;
}
