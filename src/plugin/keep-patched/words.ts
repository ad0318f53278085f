/** What the operator is told of the automatic application. */
import type { KeepResult } from "./engine.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** Describes what was done, in one or two sentences. */
export function keptWords({ entry, patchSet, known }: KeepResult): string {
  const { release, reason = "no reason is recorded" } = entry;
  const what = `OpenClaw ${release} was not patched when this gateway started.`;
  const applied = `The patch was applied again (patch set ${patchSet ?? "unknown"})`;
  const untested = known === false ? ` OpenClaw ${release} is not among the tested releases.` : "";
  switch (entry.step) {
    case "proven":
      return `${what} ${applied} and proven with corrupt sessions on this machine.${untested}`;
    case "unproven":
      return `${what} ${applied}. It could not be proven on this machine: ${reason}`;
    case "failed":
      return `${what} The patch was applied and reverted, because the proof failed: ${reason} Requests are not guarded; stored sessions are still repaired. A newer openclaw-integrity may support this release.`;
    case "refused":
      return `${what} It cannot be patched: ${reason} Requests are not guarded; stored sessions are still repaired.`;
    case "reverted":
      return `OpenClaw ${release} is not patched, because the operator reverted the patch. ${ownCommand("apply")} turns this around.`;
    case "applied":
      return `${what} ${applied}; the proof has not ended.`;
  }
}

/** Describes a proof that a kill had interrupted and that failed when it was repeated, in a gateway with the patch. */
export function refutedWords({ entry: { release, reason = "no reason is recorded" } }: KeepResult): string {
  return `The proof of the patch of OpenClaw ${release} failed, and the patch was reverted: ${reason} This gateway still runs with it; the next start runs without.`;
}

/** Asks the operator for the restart that OpenClaw cannot do by itself. */
export function restartWords(why: string): string {
  return `Restart the gateway to make it active; it was not restarted because ${why}.`;
}
