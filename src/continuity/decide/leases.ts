import { nameInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import type { WorkState } from "../base/state.ts";
import type { Command } from "./decision.ts";

/** Who holds a lease, and under which fencing token. */
export interface LeaseHolder {
  readonly owner_id: string;
  readonly fencing_token: number;
}

/**
 * The next fencing token goes to that owner; everyone before is fenced from this event on. Whether the lease is free is
 * the store's to say, by its expiry.
 */
export function acquireLease(owner_id: string): Command {
  return (state) => {
    const lease = { owner_id, fencing_token: state.lease.fencing_token + 1 };
    return { type: "lease_acquired", data: lease, state: { ...state, lease } };
  };
}

/** Gives the lease back; the token stays, so that it can only grow. */
export function releaseLease(holder: LeaseHolder): Command {
  return (state) => {
    assertHolds(state, holder);
    return {
      type: "lease_released",
      data: { ...holder },
      state: { ...state, lease: { owner_id: null, fencing_token: holder.fencing_token } },
    };
  };
}

/** Throws `fenced` unless the lease is still this holder's. */
export function assertHolds(state: WorkState, { owner_id, fencing_token }: LeaseHolder): void {
  const { lease } = state;
  if (lease.fencing_token === fencing_token && lease.owner_id === owner_id) return;
  const now =
    lease.owner_id === null
      ? `it was given back (token ${lease.fencing_token})`
      : `it is ${nameInline(lease.owner_id)}'s with token ${lease.fencing_token}`;
  throw continuityError("fenced", {
    expected:
      `the lease of project ${nameInline(state.project_id)} to be ${nameInline(owner_id)}'s with fencing token ` +
      `${fencing_token}`,
    found: now,
    todo: "Another executor has taken over: stop, drop what was not committed, and acquire the lease again. Nothing was written.",
  });
}
