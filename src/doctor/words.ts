import { countFaults, isSound, needsRepair, type ScannedSession } from "../health/index.ts";
import type { SessionSummary } from "../store/index.ts";
import type { CheckedSession, Checkup } from "./checkup.ts";
import { protectionBy } from "./patched.ts";
import { printable, shortened } from "./printable.ts";
import { ownCommand } from "../base/commands/own-command.ts";

/** Longer than any name that OpenClaw creates. */
const NAME = 120;

/** Returns the name of a session's conversation, without the agent's name, which is shown beside it. */
export function conversationName({ sessionKey, sessionId, agentId, isCurrent }: SessionSummary): string {
  if (sessionKey === undefined) return `(none) ${shortened(sessionId)}`;
  const prefix = `agent:${agentId}:`;
  return `${printable(sessionKey.startsWith(prefix) ? sessionKey.slice(prefix.length) : sessionKey, NAME)}${isCurrent ? "" : " (earlier)"}`;
}

/** Returns the conversation of a session, or the session's id if it has no conversation. */
export function titleOf(session: SessionSummary): string {
  return session.sessionKey === undefined ? `session ${printable(session.sessionId, NAME)}` : conversationName(session);
}

/** Hint for a command on a session in OpenClaw's database. */
export const WHICH_OPENCLAW =
  "The session is in OpenClaw's database: add --global or --path <folder> unless that OpenClaw belongs to the current folder.";

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

/** Returns what faults in stored sessions mean for these OpenClaws; none when it is not known whether they are patched. */
export function meaningOf({ openclaws }: Checkup): string[] {
  return {
    whole: [
      "The patch repairs the faults below in each request, so no turn fails because of them. They are in what is stored; a repair of the store is not urgent.",
    ],
    other: ["A patch of another version repairs faults in each request, but perhaps not each of those below."],
    none: [
      "Without the patch, a provider can refuse every turn of a session with the faults below, until it is repaired.",
    ],
    unknown: [],
  }[protectionBy(openclaws)];
}

/** Returns the overall state and what to do next, with the command apart from the sentence. */
export function nextStep(checkup: Checkup): { readonly sentence: string; readonly command?: string } {
  const counts = tally(checkup);
  const { all, faulty, unread } = counts;
  if (all === 0)
    return {
      sentence: checkup.problems.length > 0 ? "No session could be read." : "There are no sessions yet: nothing to do.",
    };
  if (faulty === 0) return { sentence: withoutFaults(counts) };
  const isHarmless = protectionBy(checkup.openclaws) === "whole";
  const had = `${faulty} of ${counted(all, "session")} ${faulty === 1 ? "has" : "have"} faults${isHarmless ? " in what is stored, which the patch repairs in each request: nothing has to be done" : ""}.${unreadWords(unread)}`;
  const commands = checkup.sessions.flatMap(({ remedy }) => (remedy?.by === "repair" ? [remedy.command] : []));
  if (commands.length === 0) {
    if (isHarmless) return { sentence: had };
    return {
      sentence: `${had} A repair of the store cannot fix them; the patched OpenClaw fixes them in each request. Check that it is patched:`,
      command: ownCommand("status"),
    };
  }
  if (commands.length === 1)
    return {
      sentence: `${had} To repair it${isHarmless ? " all the same" : ""} (the original is kept):`,
      command: commands[0]!,
    };
  return {
    sentence: `${had} To repair all of them (the originals are kept; --dry-run changes nothing):`,
    command: ownCommand("sessions repair", { options: ["--all"] }),
  };
}

function withoutFaults({ all, valid, earlier, unread }: ReturnType<typeof tally>): string {
  if (earlier > 0)
    return `No session needs a repair: ${earlier === 1 ? "the one with faults was" : `the ${earlier} with faults were`} left by ${earlier === 1 ? "its conversation" : "their conversations"}, and no turn is sent from ${earlier === 1 ? "it" : "them"}.${unreadWords(unread)}`;
  if (valid === 0) return `${counted(unread, "session")} could not be read.`;
  const which =
    valid < all
      ? `${counted(valid, "session")} ${valid === 1 ? "is" : "are"}`
      : all === 1
        ? "The session is"
        : `All ${counted(all, "session")} are`;
  return `${which} valid: nothing to do.${unreadWords(unread)}`;
}

function unreadWords(unread: number): string {
  return unread === 0 ? "" : ` ${counted(unread, "session")} could not be read.`;
}
