import { nameInline, valueInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import { assertStorable } from "../base/json.ts";
import { withoutClaims } from "./claims.ts";
import type { Command } from "./decision.ts";

/** What a restored ledger was restored from, and what is known to be missing behind it. */
export interface Restoration {
  /** The last event of the ledger from before. */
  readonly event_seq: number;
  readonly checksum: string | null;
  /** When the backup was made, and the SHA-256 of its file. */
  readonly backup: { readonly created_at: string; readonly sha256: string };
  /** The event that the lost ledger is known to have reached; null when nothing is known of it. */
  readonly lost: { readonly event_seq: number; readonly checksum: string } | null;
}

/**
 * Tokens by which a restored ledger goes on: more than leases can have been given behind the backup, when nothing is
 * known of them, so that no token is given twice.
 */
const TOKEN_GAP = 1_000_000;
const LONGEST_REASON = 1000;

/**
 * Ends every lease and claim of before, and raises the fencing token above every token that may have been given since.
 * From then on a non_idempotent step may have happened unless the ledger knows better, until somebody confirms what
 * did.
 */
export function restoreProject(restoration: Restoration, knownToken: number): Command {
  return (state, { seq, at }) => {
    const fencing_token = Math.max(state.lease.fencing_token, knownToken) + TOKEN_GAP;
    return {
      type: "project_restored",
      data: { ...restoration, fencing_token },
      state: {
        ...withoutClaims(state, at),
        lease: { owner_id: null, fencing_token },
        unknown_since: { event_seq: seq, at },
      },
    };
  };
}

/**
 * Records that somebody knows what happened that the copy does not know of: from then on a non_idempotent step of which
 * it knows nothing begins. Attempts that are open stay open. Throws `bad-input` for a reason that is no text of 1 to
 * 1,000 characters, and the command `invalid-transition` where nothing is to be confirmed.
 */
export function confirmCopy(reason: string): Command {
  assertReason(reason);
  return ({ unknown_since, ...state }) => {
    if (!unknown_since)
      throw continuityError("invalid-transition", {
        expected: `project ${nameInline(state.project_id)} to go on from an older copy that nobody has confirmed`,
        found: "none",
        todo: "There is nothing to confirm. Nothing was written.",
      });
    return { type: "copy_confirmed", data: { reason, event_seq: unknown_since.event_seq }, state };
  };
}

function assertReason(reason: string): void {
  if (typeof reason !== "string" || reason.trim() === "" || reason.length > LONGEST_REASON)
    throw continuityError("bad-input", {
      expected: `a reason of 1 to ${LONGEST_REASON} characters`,
      found: valueInline(reason),
      todo: "Nothing was written.",
    });
  assertStorable(reason, "the reason");
}
