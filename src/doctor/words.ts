/** The sentences of the report on all sessions: their states, what faults mean, and what to do next. */
import { countFaults, isSound, needsRepair, type ScannedSession } from "../health/index.ts";
import type { SessionSummary } from "../store/index.ts";
import type { CheckedSession, Checkup, OpenClawAtHand, Step } from "./checkup.ts";
import { gatewayStep, isUnguarded } from "./gateways.ts";
import { patchWords, protectionBy } from "./patched.ts";
import { printable, shortened } from "./printable.ts";
import { ownCommand } from "../base/commands/own-command.ts";

/** Longer than any name that OpenClaw creates. */
const NAME = 120;

/** Returns the name of a session's conversation, without the agent's name, which is shown beside it. */
export function conversationName({ sessionKey, sessionId, agentId, isCurrent }: SessionSummary): string {
  if (sessionKey === undefined) return `(none) ${shortened(sessionId)}`;
  const prefix = `agent:${agentId}:`;
  const name = sessionKey.startsWith(prefix) ? sessionKey.slice(prefix.length) : sessionKey;
  return `${printable(name, NAME)}${isCurrent ? "" : " (earlier)"}`;
}

/** Hint for a command on a session in OpenClaw's database. */
export const WHICH_OPENCLAW =
  "For a session in OpenClaw's database add --global or --path FOLDER, unless that OpenClaw belongs to the current " +
  "folder.";

/** Returns whether faults were found in a session. */
export function hasFaults({ examination }: ScannedSession): boolean {
  return examination !== undefined && !isSound(examination);
}

/** Returns the state of a session in a word or two. */
export function stateName({ examination, unread }: CheckedSession): string {
  if (unread !== undefined || examination === undefined) return "not read";
  const { openCalls } = examination;
  const faults = countFaults(examination);
  if (faults > 0) return counted(faults, "fault");
  return openCalls > 0 ? `valid, ${openCalls} open` : "valid";
}

/** `1 session`, `3 sessions`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Counts the sessions by state. */
export function tally({ sessions }: Checkup): {
  readonly all: number;
  readonly valid: number;
  /** Sessions with faults that conversations have left, which need no repair. */
  readonly earlier: number;
  readonly faulty: number;
  readonly unread: number;
} {
  return {
    all: sessions.length,
    valid: sessions.filter(({ examination, unread }) => unread === undefined && examination && isSound(examination))
      .length,
    earlier: sessions.filter((session) => session.unread === undefined && hasFaults(session) && !needsRepair(session))
      .length,
    faulty: sessions.filter((session) => session.unread === undefined && needsRepair(session)).length,
    unread: sessions.filter(({ examination, unread }) => unread !== undefined || examination === undefined).length,
  };
}

/**
 * Returns what faults in stored sessions mean for these OpenClaws: {@link REFUSES} where a session is refused before
 * its history is read, then what the patch does about all others; nothing on these when the patch's state is unknown.
 */
export function explainFaults(checkup: Checkup): string[] {
  const { sessions } = checkup;
  const refused = sessions.filter(isRefused).length;
  const faulty = sessions.filter((session) => hasFaults(session) && !isRefused(session)).length;
  if (refused > 0) return faulty > 0 ? [REFUSES, ...explainHistoryFaults(checkup)] : [REFUSES];
  return explainHistoryFaults(checkup);
}

/** What it means that OpenClaw's own record of a session is at fault, and not its transcript: see isRefused. */
export const REFUSES =
  "OpenClaw refuses every message of a session that it has given up, whose setup has not ended, or whose " +
  "transcript is locked, with the patch too, until it is repaired.";

/** Whether OpenClaw refuses every message of a session before it reads the history, where the patch does nothing. */
export function isRefused({ examination, unread }: CheckedSession): boolean {
  return unread === undefined && examination?.record !== undefined;
}

function explainHistoryFaults({ openclaws, gateways }: Pick<Checkup, "openclaws" | "gateways">): string[] {
  return {
    whole: [
      "The patch repairs the faults below in each request, so no turn fails because of them. They are in what " +
        "is stored; a repair of the store is not urgent.",
    ],
    other: ["A patch of another version repairs faults in each request, but perhaps not each of those below."],
    none: [
      "Without the patch, a provider can refuse every turn of a session with the faults below, until it is repaired.",
    ],
    unknown: [],
  }[protectionBy(openclaws, gateways)];
}

/**
 * Returns the overall state and what to do next. An OpenClaw without the whole patch is to be patched first; the repair
 * of the store is then in `afterwards`.
 */
export function nextStep(checkup: Checkup): Step & { readonly afterwards?: Step } {
  const patching = patchingStep(checkup);
  const { faulty } = tally(checkup);
  const state = stateSentence(checkup, isSettled(checkup) ? ": nothing to do" : "");
  if (faulty === 0)
    return patching === undefined
      ? { sentence: state }
      : { sentence: `${state} ${patching.sentence}`, command: patching.command };
  const repairing = repairingStep(checkup);
  if (patching === undefined) return { ...repairing, sentence: `${state} ${repairing.sentence}`.trimEnd() };
  return {
    sentence: `${state} ${patching.sentence}`,
    command: patching.command,
    ...(repairing.command !== undefined && { afterwards: repairing }),
  };
}

/**
 * What is left to do about the patch; undefined where it is whole and at work in each gateway that runs, and where no
 * OpenClaw was found.
 */
function patchingStep({ openclaws = [], gateways = [] }: Checkup): Step | undefined {
  const sentences: readonly (readonly [OpenClawAtHand["patched"], string])[] = [
    ["no", "OpenClaw is not patched, so the next crash or refused message can make a session unusable. To patch it:"],
    ["part", "The patch of OpenClaw is off, because a part of it is missing. To complete it:"],
    ["outdated", "The patch of OpenClaw is another version's. To renew it:"],
    ["unknown", "Whether OpenClaw is patched is unknown. This tells more:"],
  ];
  for (const [state, sentence] of sentences) {
    const [found, ...others] = openclaws.filter(({ patched }) => patched === state);
    if (found === undefined) continue;
    // Setup knows how to undo one: of a second it would forget the first.
    const more = others.map(({ path, isRefused: no }) => ownCommand(no === true ? "explain" : "apply", { path }));
    return {
      command: [patchWords(found).command, ...more].join("\n"),
      sentence: found.isRefused === true ? REFUSED : sentence,
    };
  }
  const unguarded = gateways.find(isUnguarded);
  if (unguarded) return gatewayStep(unguarded);
  if (openclaws.length > 0 || gateways.length === 0) return undefined;
  return {
    sentence: "A gateway runs, and no OpenClaw was found that could be judged. Name its folder:",
    command: ownCommand("setup", { path: "FOLDER" }),
  };
}

const REFUSED = "OpenClaw is not patched, and apply would refuse it. This tells why:";

/** What repairs the store. Call it only where faults were found. */
function repairingStep(checkup: Checkup): Step {
  const isHarmless = needsNoRepair(checkup);
  const commands = checkup.sessions.flatMap(({ remedy }) => (remedy?.by === "repair" ? [remedy.command] : []));
  if (commands.length === 0) {
    if (isHarmless) return { sentence: "" };
    return {
      sentence:
        "A repair of the store cannot fix them; the patched OpenClaw fixes them in each request. " +
        "Check that it is patched:",
      command: ownCommand("status"),
    };
  }
  if (commands.length === 1)
    return {
      sentence: `To repair it${isHarmless ? " all the same" : ""} (the original is kept):`,
      command: commands[0]!,
    };
  return {
    sentence: "To repair all of them (the originals are kept; --dry-run changes nothing):",
    command: ownCommand("sessions repair", { options: ["--all"] }),
  };
}

/** Whether the patch repairs, in each request, all faults of what is stored. */
export function needsNoRepair({ openclaws, gateways, sessions }: Checkup): boolean {
  return protectionBy(openclaws, gateways) === "whole" && !sessions.some(isRefused);
}

/** Whether nothing is known that a person has to do. */
export function isSettled(checkup: Checkup): boolean {
  return tally(checkup).faulty === 0 && patchingStep(checkup) === undefined && isAllReadAndNoWorkWaits(checkup);
}

/** Whether everything was read, but for sessions in OpenClaw's cold archive, and no recorded work needs a person. */
function isAllReadAndNoWorkWaits({ sessions, problems, work = [] }: Checkup): boolean {
  return (
    problems.length + work.length === 0 &&
    sessions.every(({ session, unread }) => unread === undefined || session.isPutAway === true)
  );
}

/** `ending` follows where no session has faults. */
function stateSentence(checkup: Checkup, ending: string): string {
  const { all, valid, earlier, faulty, unread } = tally(checkup);
  const isHarmless = needsNoRepair(checkup);
  const problems = checkup.problems.length === 0 ? "" : " Not all of OpenClaw's sessions could be listed.";
  if (all === 0) return problems === "" ? `There are no sessions yet${ending}.` : "No session could be read.";
  const unreadSentence = `${unread === 0 ? "" : ` ${counted(unread, "session")} could not be read.`}${problems}`;
  if (faulty > 0)
    return (
      `${faulty} of ${counted(all, "session")} ${faulty === 1 ? "has" : "have"} faults` +
      (isHarmless ? " in what is stored, which the patch repairs in each request: nothing has to be done" : "") +
      `.${unreadSentence}`
    );
  if (earlier > 0) {
    const left =
      earlier === 1
        ? "the one with faults was left by its conversation, and no turn is sent from it"
        : `the ${earlier} with faults were left by their conversations, and no turn is sent from them`;
    return `No session needs a repair: ${left}.${unreadSentence}`;
  }
  if (valid === 0) return unreadSentence.trimStart();
  const which =
    valid < all
      ? `${counted(valid, "session")} ${valid === 1 ? "is" : "are"}`
      : all === 1
        ? "The session is"
        : `All ${counted(all, "session")} are`;
  return `${which} valid${ending}.${unreadSentence}`;
}
