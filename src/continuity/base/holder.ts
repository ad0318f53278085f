/** Who holds a task: whether it is the reader, a person, or somebody whose time is over. */
import { nameInline } from "../../base/quoted.ts";
import { authorText, isSameAuthor } from "./author.ts";
import type { Claim, ClaimEnd, Holder } from "./state.ts";

/** Who claims tasks, and how. */
export interface Claimant {
  readonly holder: Holder;
  /** After how many milliseconds without a call of the holder a claim ends. */
  readonly unusedMs: number;
  /** Returns whether a session is known to have ended. */
  readonly isGone: (session: string) => boolean;
}

/**
 * How long a claim lives without a call of its holder, in milliseconds, by default: longer than one thing that an agent
 * does between two calls, and short enough to wait for.
 */
export const UNUSED_MS = 15 * 60_000;

/**
 * Returns whether a holder is this claimant: the same author in the same session, or in one that has ended, as after a
 * restart.
 */
export function isMine({ author, session }: Holder, { holder, isGone }: Omit<Claimant, "unusedMs">): boolean {
  if (!isSameAuthor(author, holder.author)) return false;
  return session === null || holder.session === null || session === holder.session || isGone(session);
}

/** Returns whether a claim has not ended by its time. */
export function isLive({ until }: Claim, clock: number): boolean {
  return until === null || clock < Date.parse(until);
}

/** Returns whether the author is a person, who decides about the claims of agents. */
export function isPerson({ author }: Holder): boolean {
  return author.entry === "cli";
}

/** Says in a sentence that a task is the reader's now, or is not any more. */
export function endText({ task_id, from, to, why, at, isGiven }: ClaimEnd & { readonly isGiven: boolean }): string {
  const task = `Task ${nameInline(task_id)}`;
  if (isGiven && why === "person") return `${task} is yours since ${at}: a person gave it to you.`;
  if (isGiven) return `${task} is yours since ${at}: ${holderText(from)} had it and made no call for long.`;
  const now = to === null ? "nobody has it now" : `${holderText(to)} has it now`;
  const because = {
    unused: "you had made no call for long",
    person: "a person decided it",
    copy: "the record was restored",
  };
  return `${task} is not yours any more since ${at}: ${because[why]}; ${now}. Do not go on with it.`;
}

/** Describes a holder, with its session where it has one: two agents may have one name. */
export function holderText({ author, session }: Holder): string {
  return authorText(author) + (session === null ? "" : ` (session ${nameInline(session)})`);
}
