import type { LeaseRow, OpenStep } from "../continuity/index.ts";
import { ownerState, type OwnerState } from "../continuity/steps/process-owner.ts";

/** A lease that was not released, and what is known of its owner's process. */
export interface LeaseView extends LeaseRow {
  /** Whether its time lasts; if not, its owner neither prolonged nor released it, as after a crash. */
  readonly is_held: boolean;
  readonly owner_state: OwnerState;
}

/** Returns the view of a lease row; null for a lease that was released or never given. `now`: ms since 1970. */
export function leaseView(row: LeaseRow | undefined, now: number): LeaseView | null {
  // A released lease ends at its last heartbeat.
  if (!row || row.lease_expires_at <= row.heartbeat_at) return null;
  return { ...row, is_held: Date.parse(row.lease_expires_at) > now, owner_state: ownerState(row.owner_id) };
}

/** Returns whether an open step may still be being executed: under the lease of now, whose owner is not known to be gone. */
export function isInProgress(step: OpenStep, lease: LeaseView | null): boolean {
  return (
    lease !== null &&
    lease.is_held &&
    lease.owner_state !== "gone" &&
    step.fencing_token === lease.fencing_token &&
    step.error === undefined
  );
}
