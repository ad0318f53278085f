import { countFaults, isSound, type ScannedSession } from "../health/index.ts";
import type { SessionSummary } from "../store/index.ts";
import type { CheckedSession, Checkup } from "./checkup.ts";
import { printable, shortened } from "./printable.ts";

/** Longer than any name that OpenClaw makes. */
const NAME = 120;

/** Which conversation a session belongs to, without the agent's name, which stands beside it. */
export function conversationName({ sessionKey, sessionId, agentId, isCurrent }: SessionSummary): string {
  if (sessionKey === undefined) return `(none) ${shortened(sessionId)}`;
  const prefix = `agent:${agentId}:`;
  return `${printable(sessionKey.startsWith(prefix) ? sessionKey.slice(prefix.length) : sessionKey, NAME)}${isCurrent ? "" : " (earlier)"}`;
}

/** A session by its conversation, or by its id where none goes on in it. */
export function titleOf(session: SessionSummary): string {
  return session.sessionKey === undefined ? `session ${printable(session.sessionId, NAME)}` : conversationName(session);
}

/** Said where a command works on sessions that are rows. */
export const WHICH_OPENCLAW =
  "It is in OpenClaw's database: unless that OpenClaw is the one of the current folder, add --global or --path <folder>.";

/** Whether a session has faults that were found. */
export function hasFaults({ examination }: ScannedSession): boolean {
  return examination !== undefined && !isSound(examination);
}

/** How a session stands, in a word or two. */
export function stateName({ examination, unread }: CheckedSession): string {
  if (unread !== undefined || examination === undefined) return "not read";
  const { openCalls } = examination;
  const faults = countFaults(examination);
  if (faults > 0) return counted(faults, "fault");
  return openCalls > 0 ? `sound, ${openCalls} open` : "sound";
}

/** `1 session`, `3 sessions`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** How many sessions stand how. */
export function tally({ sessions }: Checkup): {
  readonly all: number;
  readonly sound: number;
  readonly faulty: number;
  readonly unread: number;
} {
  return {
    all: sessions.length,
    sound: sessions.filter(({ examination, unread }) => unread === undefined && examination && isSound(examination))
      .length,
    faulty: sessions.filter((session) => session.unread === undefined && hasFaults(session)).length,
    unread: sessions.filter(({ examination, unread }) => unread !== undefined || examination === undefined).length,
  };
}

/** How things stand, and what to do next; a command stands alone. */
export function nextStep(checkup: Checkup): { readonly sentence: string; readonly command?: string } {
  const { all, faulty, unread } = tally(checkup);
  if (all === 0)
    return {
      sentence: checkup.problems.length > 0 ? "No session could be read." : "There are no sessions yet: nothing to do.",
    };
  if (faulty === 0) return { sentence: withoutFaults(tally(checkup)) };
  const had = `${faulty} of ${counted(all, "session")} ${faulty === 1 ? "has" : "have"} faults.${unreadWords(unread)}`;
  const commands = checkup.sessions.flatMap(({ remedy }) => (remedy?.by === "repair" ? [remedy.command] : []));
  if (commands.length === 0) {
    return {
      sentence: `${had} A repair of the store does nothing about them; the patched OpenClaw mends them where it asks a model. See that it is patched:`,
      command: "openclaw-integrity status",
    };
  }
  if (commands.length === 1) return { sentence: `${had} To mend it (what it was is kept):`, command: commands[0]! };
  return {
    sentence: `${had} To mend all (what they were is kept; --dry-run only tells):`,
    command: "openclaw-integrity sessions repair --all",
  };
}

function withoutFaults({ all, sound, unread }: ReturnType<typeof tally>): string {
  if (sound === 0) return `Nothing could be said about ${counted(unread, "session")}.`;
  const which =
    sound < all
      ? `${counted(sound, "session")} ${sound === 1 ? "is" : "are"}`
      : all === 1
        ? "The session is"
        : `All ${counted(all, "session")} are`;
  return `${which} sound: nothing to do.${unreadWords(unread)}`;
}

function unreadWords(unread: number): string {
  return unread === 0 ? "" : ` ${counted(unread, "session")} could not be read.`;
}
