import { formatTime } from "../base/time.ts";
import { ageText } from "./age.ts";
import type { LeaseRow, OpenStep } from "../continuity/index.ts";
import { isOver } from "../continuity/decide/open-attempts.ts";
import { isEngines } from "../continuity/decide/step-words.ts";
import { ownerState, type OwnerState } from "../continuity/steps/process-owner.ts";

/** A lease that was not released, and what is known of its owner's process. */
export interface LeaseView extends LeaseRow {
  /** Whether its time has not run out. Where it has, its owner neither prolonged nor released it, as after a crash. */
  readonly is_held: boolean;
  readonly owner_state: OwnerState;
}

/** Returns the view of a lease row; null for a lease that was released or never given. `now`: ms since 1970. */
export function leaseView(row: LeaseRow | undefined, now: number): LeaseView | null {
  // A released lease ends at its last heartbeat.
  if (!row || row.lease_expires_at <= row.heartbeat_at) return null;
  return { ...row, is_held: Date.parse(row.lease_expires_at) > now, owner_state: ownerState(row.owner_id) };
}

/**
 * Returns whether somebody may still execute an open step: a durable engine, or the owner of the present lease, where
 * its process is not known to be gone. False for an attempt that failed, was given up or never began.
 */
export function isInProgress(step: OpenStep, lease: LeaseView | null): boolean {
  if (isEngines(step)) return true;
  return (
    lease !== null &&
    lease.is_held &&
    lease.owner_state !== "gone" &&
    step.fencing_token === lease.fencing_token &&
    !isOver(step)
  );
}

const OWNER_WORDS: Readonly<Record<LeaseView["owner_state"], string>> = {
  gone: "its process has ended",
  running: "a process with its id runs on this machine",
  unknown: "whether its process runs cannot be told from here",
};

/** Describes who has the lease, since when and until when, and what is known of that process. `now`: ms since 1970. */
export function leaseWords(lease: LeaseView | null, now: number): string {
  if (lease === null) return "free";
  const { owner_id, acquired_at, lease_expires_at, is_held, owner_state } = lease;
  const since = `since ${formatTime(acquired_at)}`;
  const left = Date.parse(lease_expires_at) - now;
  const until = is_held ? `until ${formatTime(lease_expires_at)} (${ageText(left)} from now)` : "";
  const ended =
    `free: its time ended ${ageText(-left)} ago, at ${formatTime(lease_expires_at)}, without a release ` +
    `by ${owner_id}, who had it ${since}`;
  return `${is_held ? `${owner_id}, ${since}, ${until}` : ended}; ${OWNER_WORDS[owner_state]}`;
}
