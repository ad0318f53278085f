/** What the operator is told of the automatic application. */
import type { KeepResult } from "./engine.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { visible } from "../../base/visible.ts";

/** Describes what was done, in one or two sentences. */
export function keptWords({ entry, patchSet, known }: KeepResult): string {
  const { release } = entry;
  const reason = reasonIn(entry);
  const what = `OpenClaw ${release} was not patched when this gateway started.`;
  const applied = `The patch was applied again (patch set ${patchSet ?? "unknown"})`;
  const untested = known === false ? ` OpenClaw ${release} is not among the tested releases.` : "";
  switch (entry.step) {
    case "proven":
      return `${what} ${applied} and proven with corrupt sessions on this machine.${untested}`;
    case "unproven":
      return `${what} ${applied}. It is not proven on this machine: ${reason}${laterWords(entry)}`;
    case "failed":
      return (
        `${what} The patch was applied and reverted, because the proof refuted it: ${reason} Requests are not ` +
        "guarded; stored sessions are still repaired. A newer openclaw-integrity may support this release."
      );
    case "refused":
      return `${what} It cannot be patched: ${reason} Requests are not guarded; stored sessions are still repaired.`;
    case "reverted":
      return (
        `OpenClaw ${release} is not patched, because the operator reverted the patch. ${ownCommand("apply")} ` +
        "turns this around."
      );
    case "applied":
      return `${what} ${applied}; the proof has not ended.`;
  }
}

/** Describes a repeated proof that refuted the patch, or could not judge it, in a gateway that has it. */
export function refutedWords({ entry }: KeepResult): string {
  return (
    `The patch of OpenClaw ${entry.release} failed its proof, and was reverted: ${reasonIn(entry)} This gateway ` +
    "still runs with it; the next start runs without."
  );
}

/** Describes a proof of a patch that was there before. */
export function proofWords({ entry }: KeepResult): string {
  const what = `The patch of OpenClaw ${entry.release}`;
  if (entry.step === "proven") return `${what} is proven now with corrupt sessions on this machine.`;
  return `${what} is not proven on this machine: ${reasonIn(entry)}${laterWords(entry)}`;
}

function laterWords({ tries }: KeepResult["entry"]): string {
  return tries === undefined ? "" : " The proof is repeated later.";
}

const SHOWN_CHARACTERS = 1500;

/** A reason as it is told in chat: one line of bounded length. */
function reasonIn({ reason = "no reason is recorded" }: KeepResult["entry"]): string {
  return visible(reason.length > SHOWN_CHARACTERS ? `${reason.slice(0, SHOWN_CHARACTERS)}…` : reason);
}

/** Asks the operator for the restart that OpenClaw cannot do by itself. */
export function restartWords(why: string): string {
  return `Restart the gateway to make it active; it was not restarted because ${why}.`;
}
