/** Claims of tasks: taken, prolonged, ended, and told to those who had them. Pure, as all of decide/. */
import { ownCommand } from "../../base/commands/own-command.ts";
import { continuityError } from "../base/errors.ts";
import { type Claimant, holderText, isLive, isMine, isPerson } from "../base/holder.ts";
import type { Claim, ClaimEnd, Holder, WorkState } from "../base/state.ts";
import type { Command, Decision, Moment } from "./decision.ts";
import { ownEntry, taskCalled, requireUndoneTask } from "./find.ts";
import { Unchanged } from "./unchanged.ts";

/** Ends that nobody comes to read are forgotten, the oldest one first. */
const MAX_ENDS = 50;

/** Returns the claim of a task; undefined when nobody has it. */
export function findClaim({ claims }: WorkState, task_id: string): Claim | undefined {
  return claims && ownEntry(claims, task_id);
}

/** Returns the claim of a task, not ended, that another one than this claimant has. */
export function othersClaim(
  state: WorkState,
  task_id: string,
  claimant: Omit<Claimant, "unusedMs">,
  clock: number,
): Claim | undefined {
  const claim = findClaim(state, task_id);
  return claim && isLive(claim, clock) && !isMine(claim.holder, claimant) ? claim : undefined;
}

/** Throws `claim-held`, which names the holder, for a task that another agent or a person holds; never for a person. */
export function assertNotHeld(state: WorkState, task_id: string, claimant: Claimant, moment: Moment): void {
  const held = isPerson(claimant.holder) ? undefined : othersClaim(state, task_id, claimant, moment.clock);
  if (held === undefined) return;
  const task = ownEntry(state.tasks, task_id);
  const command = ownCommand("continuity task release", {
    options: ["--project", state.project_id],
    argument: task_id,
  });
  throw continuityError("claim-held", {
    expected: `task ${task ? taskCalled(task, moment.author) : task_id} to be yours, or free`,
    found:
      `${holderText(held.holder)} holds it since ${held.claimed_at}, last call ${held.used_at}` +
      (held.until === null ? "" : `; without another call it is free from ${held.until} on`),
    todo:
      "Do NOT do it; take another task, and tell the user who holds it. It is free " +
      `when ${wayBack(held.holder)}, or by a ` +
      `person's \`${command}\`. Nothing was written.`,
  });
}

/** Says how a holder itself gives a task back. */
function wayBack({ author: { entry } }: Holder): string {
  if (entry === "cli") return "that person releases it";
  return entry === "openclaw"
    ? "the user says in that conversation that the task is to be put back (status todo)"
    : "its holder sets it to todo";
}

/**
 * Returns the command with the claim that goes with it. An agent that starts a task, or records where it was left off,
 * holds it from then on; a task that is not in progress any more is held by nobody. Of two agents only one can write
 * the event that follows the last one, so that a task never has two holders. `takes`: the claimant takes a task in
 * progress that nobody holds any more, also when nothing else changes. `gives`: the claimant gives the task up, for
 * instance one that a person gave to it and that it has not begun. Throws `claim-held`.
 */
export function claiming(
  command: Command,
  task_id: string,
  claimant: Claimant,
  { takes = false, gives = false } = {},
): Command {
  return (state, moment) => {
    assertNotHeld(state, task_id, claimant, moment);
    const before = ownEntry(state.tasks, task_id);
    const isTaken =
      takes && !isPerson(claimant.holder) && before?.status === "doing" && !isHeldBy(state, task_id, claimant);
    const isGiven = gives && !isPerson(claimant.holder) && isHeldBy(state, task_id, claimant);
    let decision: Decision;
    try {
      decision = command(state, moment);
    } catch (error) {
      if (isGiven && error instanceof Unchanged)
        decision = { type: "claim_released", data: { task_id, holder: null, taken_from: claimant.holder }, state };
      else if (isTaken && (error instanceof Unchanged || isInProgress(error)))
        decision = { type: "task_claimed", data: { task_id }, state };
      else throw error;
    }
    return withClaim(state, decision, { task_id, isGiven, claimant, moment });
  };
}

/** Has a task be held from now on by the one to whom a person gives it, in progress or not; null for nobody. */
export function giveClaim(task_id: string, to: Holder | null, claimant: Claimant): Command {
  return (state, moment) => {
    requireUndoneTask(state, task_id, moment, "It needs no holder. Nothing was changed.");
    const claim = findClaim(state, task_id);
    if (to === null && claim === undefined)
      throw new Unchanged(state, task_id, { expected: "a task that somebody holds", found: "one that nobody holds" });
    const changed =
      to === null ? withoutClaim(state, task_id) : withClaims(state, { [task_id]: newClaim(to, claimant, moment) });
    const untold = [...(claim ? [claim.holder] : []), ...(to && !isPerson(to) ? [to] : [])];
    const end: ClaimEnd = { task_id, from: claim?.holder ?? claimant.holder, to, why: "person", at: moment.at, untold };
    return {
      type: to === null ? "claim_released" : "claim_given",
      data: { task_id, holder: to, taken_from: claim?.holder ?? null },
      state: withEnd(changed, end),
    };
  };
}

/**
 * Prolongs the claims of a holder, who has made a call. Throws {@link Unchanged} while they all have most of their
 * time.
 */
export function renewClaims(claimant: Claimant): Command {
  return (state, moment) => {
    const due = renewable(state, claimant, moment.clock);
    if (due.length === 0) throw new Unchanged(state, "", { expected: "a claim to prolong", found: "none" });
    const renewed = due.map(([task_id, claim]) => [task_id, { ...claim, ...usedNow(claimant, moment) }] as const);
    return {
      type: "claims_renewed",
      data: { task_ids: due.map(([task_id]) => task_id) },
      state: withClaims(state, Object.fromEntries(renewed)),
    };
  };
}

/** Returns the claims of this claimant of which a quarter of their time has passed. */
export function renewable(state: WorkState, claimant: Claimant, clock: number): readonly (readonly [string, Claim])[] {
  return Object.entries(state.claims ?? {}).filter(
    ([, { holder, used_at, until }]) =>
      until !== null && isMine(holder, claimant) && clock - Date.parse(used_at) >= claimant.unusedMs / 4,
  );
}

/** An end of a claim, and whether the task is the reader's now, or was. */
export type ToldEnd = ClaimEnd & { readonly isGiven: boolean };

/** Returns the ends of claims of which this claimant was not told, the first one first. */
export function untoldEnds({ claim_ends = [] }: WorkState, claimant: Omit<Claimant, "unusedMs">): readonly ToldEnd[] {
  return claim_ends
    .filter(({ untold }) => untold.some((one) => isMine(one, claimant)))
    .map((end) => ({ ...end, isGiven: end.to !== null && isMine(end.to, claimant) }));
}

/**
 * Records that this claimant is told of the ends of claims that concern it. Throws {@link Unchanged} when none does.
 */
export function tellEnds(claimant: Claimant): Command {
  return (state) => {
    const ends = untoldEnds(state, claimant);
    if (ends.length === 0) throw new Unchanged(state, "", { expected: "an end of a claim to tell", found: "none" });
    const endsToTell = (state.claim_ends ?? [])
      .map((end) => ({ ...end, untold: end.untold.filter((one) => !isMine(one, claimant)) }))
      .filter(({ untold }) => untold.length > 0);
    return {
      type: "claim_ends_told",
      data: { task_ids: ends.map(({ task_id }) => task_id) },
      state: withEnds(state, endsToTell),
    };
  };
}

/** Returns the state of a copy, in which nobody holds a task; the holders of before are told. */
export function withoutClaims(state: WorkState, at: string): WorkState {
  const { claims = {}, ...rest } = state;
  const ends = Object.entries(claims).map(([task_id, { holder }]): ClaimEnd => ({
    task_id,
    from: holder,
    to: null,
    why: "copy",
    at,
    untold: [holder],
  }));
  return ends.length > 0 ? withEnds(rest, [...(rest.claim_ends ?? []), ...ends]) : rest;
}

function withClaim(
  before: WorkState,
  decision: Decision,
  of: { readonly task_id: string; readonly isGiven: boolean; readonly claimant: Claimant; readonly moment: Moment },
): Decision {
  const { task_id, isGiven, claimant, moment } = of;
  const claim = findClaim(before, task_id);
  const isOthers = claim !== undefined && !isMine(claim.holder, claimant);
  const status = ownEntry(decision.state.tasks, task_id)?.status;
  const isDoing = status === "doing";
  // A person may have given it before it is in progress; a checkpoint or an edit does not give it back.
  const isAsBefore = ownEntry(before.tasks, task_id)?.status === status;
  if (isPerson(claimant.holder) && (isDoing || isAsBefore || claim === undefined)) return decision;
  if (!isDoing && claim === undefined) return decision;
  const held =
    claim === undefined || isOthers
      ? newClaim(claimant.holder, claimant, moment)
      : { ...claim, holder: claimant.holder, ...(claim.until === null ? {} : usedNow(claimant, moment)) };
  const isKept = isDoing || (isAsBefore && !isOthers && !isGiven);
  const state = isKept ? withClaims(decision.state, { [task_id]: held }) : withoutClaim(decision.state, task_id);
  if (!isOthers) return { ...decision, state };
  const [person, to] = [isPerson(claimant.holder), isDoing ? claimant.holder : null];
  const untold = [claim.holder, ...(to === null ? [] : [to])];
  const end: ClaimEnd = { task_id, from: claim.holder, to, why: person ? "person" : "unused", at: moment.at, untold };
  return { ...decision, data: { ...decision.data, taken_from: claim.holder }, state: withEnd(state, end) };
}

function isHeldBy(state: WorkState, task_id: string, claimant: Claimant): boolean {
  const claim = findClaim(state, task_id);
  return claim !== undefined && isMine(claim.holder, claimant);
}

/** A task that is in progress cannot be started. */
function isInProgress(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "invalid-transition";
}

function newClaim(holder: Holder, claimant: Claimant, moment: Moment): Claim {
  const used = usedNow(claimant, moment);
  return {
    holder,
    fencing_token: moment.seq,
    claimed_at: used.used_at,
    ...used,
    // A person does other things, and says when it is over.
    ...(isPerson(holder) ? { until: null } : {}),
  };
}

function usedNow({ unusedMs }: Claimant, { clock }: Moment): Pick<Claim, "used_at" | "until"> {
  return { used_at: new Date(clock).toISOString(), until: new Date(clock + unusedMs).toISOString() };
}

function withClaims(state: WorkState, claims: Readonly<Record<string, Claim>>): WorkState {
  return { ...state, claims: { ...state.claims, ...claims } };
}

function withoutClaim(state: WorkState, task_id: string): WorkState {
  const { claims = {}, ...rest } = state;
  const { [task_id]: _, ...otherClaims } = claims;
  return Object.keys(otherClaims).length === 0 ? rest : { ...rest, claims: otherClaims };
}

function withEnd(state: WorkState, end: ClaimEnd): WorkState {
  return withEnds(state, [...(state.claim_ends ?? []), end]);
}

function withEnds(before: WorkState, ends: readonly ClaimEnd[]): WorkState {
  const { claim_ends: _, ...state } = before;
  return ends.length === 0 ? state : { ...state, claim_ends: ends.slice(-MAX_ENDS) };
}
