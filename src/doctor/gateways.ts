/** What is said of the gateways that run: a patch does nothing for one that was started before it. */
import { ownCommand } from "../base/commands/own-command.ts";
import type { Tone } from "../base/terminal.ts";
import { formatMinute } from "../base/time.ts";
import { visible } from "../base/visible.ts";
import type { GatewayAtHand, Step } from "./checkup.ts";

/** Restarts the gateway of OpenClaw's service. */
export const RESTART = "openclaw gateway restart";

/** What is known of a gateway, and what a person has to do. */
interface GatewayWords extends Partial<Step> {
  readonly state: string;
  readonly tone: Tone;
}

// A gateway does not tell which OpenClaw it runs. `gateway restart` reaches the one of a service alone; another one
// restarts within its process, with what that has loaded.
const WORDS: Readonly<Record<GatewayAtHand["guard"], GatewayWords>> = {
  patched: { state: "is protected, if it runs this OpenClaw.", tone: "good" },
  memory: { state: "is protected: it is patched in memory.", tone: "good" },
  earlier: {
    state: "is NOT protected, if it runs this OpenClaw: it was started before the patch.",
    tone: "bad",
    sentence: "End the gateway and start it again. Where it is a service:",
    command: RESTART,
  },
  off: {
    state: "is NOT protected: it was started with OPENCLAW_INTEGRITY=off.",
    tone: "bad",
    sentence: "Start the gateway again without OPENCLAW_INTEGRITY=off.",
  },
  unpatched: { state: "is NOT protected, if it runs this OpenClaw, which is not patched.", tone: "bad" },
  proven: { state: "is protected.", tone: "good" },
  refuted: {
    state: "is NOT protected.",
    tone: "bad",
    sentence: "This tells more of the patch:",
    command: ownCommand("prove"),
  },
  unknown: {
    state: "may not be protected: which OpenClaw it runs, and whether that is patched, is unknown.",
    tone: "todo",
  },
};

/** Whether the guard is at work in a gateway, as far as is known. */
export function isGuarded({ guard }: GatewayAtHand): boolean {
  return guard === "patched" || guard === "memory" || guard === "proven";
}

/** Whether a gateway may run without the guard though its OpenClaw is patched. */
export function isUnguarded({ guard }: GatewayAtHand): boolean {
  return guard === "earlier" || guard === "off" || guard === "refuted";
}

const MISSING: readonly GatewayAtHand["guard"][] = ["earlier", "off", "unpatched"];

/** Returns a sentence for a gateway that runs, and another one for what it has found itself. */
function gatewaySentence({ pid, since, guard, said }: GatewayAtHand): string {
  const started = since === undefined ? "" : `, since ${formatMinute(since)} UTC`;
  // What was missing at the start is said better by what is known now.
  const found =
    said === undefined || MISSING.includes(guard)
      ? ""
      : ` It looked itself, at ${formatMinute(said.at)} UTC: ${visible(said.reason)}`;
  return `The gateway that runs (process ${pid}${started}) ${WORDS[guard].state}${found}`;
}

/** Returns what protects a gateway that runs; undefined where nothing has to be done with the gateway itself. */
export function gatewayStep({ guard }: GatewayAtHand): Step | undefined {
  const { sentence, command } = WORDS[guard];
  return sentence === undefined ? undefined : { sentence, ...(command !== undefined && { command }) };
}

/** Returns a sentence for each gateway, or that none runs; nothing where that is not known. */
export function gatewaySentences(gateways: readonly GatewayAtHand[] | undefined): { text: string; tone: Tone }[] {
  if (gateways?.length === 0) return [{ text: "No gateway with these sessions runs here now.", tone: "good" }];
  return (gateways ?? []).map((gateway) => ({
    text: gatewaySentence(gateway),
    tone: WORDS[gateway.guard].tone,
  }));
}
