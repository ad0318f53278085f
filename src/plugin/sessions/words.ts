/** Sentences for the operator: on the core patch (the patch set in this OpenClaw), and on sessions that were faulty. */
import { isEnabled } from "../../guard/base/switch.ts";
import type { PatchState } from "../../patching/patch-state.ts";
import type { IncidentAction } from "./incident.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

const ACTIONS: Readonly<Record<IncidentAction, string>> = {
  repaired: "repaired",
  rolled_back: "rolled back to a checkpoint",
  waiting: "to be repaired after their active run",
  left: "left to the core patch",
  kept: "left unchanged",
  detected: "not repaired (autoRepair is off)",
};

/** Returns the warning for the operator when the core patch is not active. */
export function patchWarning(patch: PatchState): string {
  return `the core patch is not active: ${explainInactivePatch(patch)}`;
}

/** Returns why the core patch is not active, what protection remains, and what to do. */
export function explainInactivePatch(patch: PatchState): string {
  const [what, todo] = whyInactive(patch);
  return `${what} Until then this plugin repairs stored sessions, and requests are not guarded. ${todo}`;
}

/** Returns why the core patch is not active in this process, and what to do. */
export function whyInactive({ fate, release, sentence }: PatchState): [what: string, todo: string] {
  if (fate !== "patched") return [sentence, `Run \`${ownCommand("apply")}\` and restart the gateway.`];
  if (!isEnabled())
    return [
      `OpenClaw ${release} is patched, but OPENCLAW_INTEGRITY=off turns the patch off.`,
      "Unset it and restart the gateway.",
    ];
  return [`OpenClaw ${release} was patched after this gateway had started.`, "Restart the gateway."];
}

/** Describes what was done with faulty sessions, with counts only; one action for each session, at least one. */
export function foundWords(actions: readonly IncidentAction[]): string {
  const kinds = (Object.keys(ACTIONS) as IncidentAction[])
    .map((action) => ({ action, times: actions.filter((one) => one === action).length }))
    .filter(({ times }) => times > 0);
  const subject = actions.length === 1 ? "1 stored session was" : `${actions.length} stored sessions were`;
  return (
    `${subject} found faulty: ${kinds.map(({ action, times }) => `${times} ${ACTIONS[action]}`).join(", ")}. ` +
    "/l0-incidents has the details."
  );
}
