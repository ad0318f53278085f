/** Commands on the project's lease, whose fencing token only grows. */
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
 * The fencing token of a step whose execution an engine guards instead of the project's lease. No lease has this token:
 * the first one has 1.
 */
export const ENGINE_TOKEN = 0;

/**
 * Gives the next fencing token to that owner; every earlier holder is fenced from this event on. The store decides by
 * the expiry whether the lease is free.
 */
export function acquireLease(owner_id: string): Command {
  return (state) => {
    const lease = { owner_id, fencing_token: state.lease.fencing_token + 1 };
    return { type: "lease_acquired", data: lease, state: { ...state, lease } };
  };
}

/** Releases the lease; the token stays, so that it can only grow. */
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

/**
 * Throws `fenced` unless this holder still has the lease; `also` is added to what is to be done. An engine needs no
 * lease.
 */
export function assertHolds(state: WorkState, { owner_id, fencing_token }: LeaseHolder, also?: string): void {
  const { lease } = state;
  if (fencing_token === ENGINE_TOKEN) return;
  if (lease.fencing_token === fencing_token && lease.owner_id === owner_id) return;
  const now =
    lease.owner_id === null
      ? `it was released (token ${lease.fencing_token})`
      : `it is ${nameInline(lease.owner_id)}'s with token ${lease.fencing_token}`;
  throw continuityError("fenced", {
    expected:
      `the lease of project ${nameInline(state.project_id)} to be ${nameInline(owner_id)}'s with fencing token ` +
      `${fencing_token}`,
    found: now,
    todo:
      "Another executor has taken over: stop, drop what was not committed, and acquire the lease again. " +
      `${also === undefined ? "" : `${also} `}Nothing was written.`,
  });
}
