import type { Command } from "./decision.ts";

/** What a restored ledger was restored from, and what is known to be missing behind it. */
export interface Restoration {
  /** `backup`: a backup was restored. `copy`: an older copy of the store was accepted. */
  readonly from: "backup" | "copy";
  /** The last event of the ledger from before. */
  readonly event_seq: number;
  readonly checksum: string | null;
  /** When the backup was made, and the SHA-256 of its file; for a backup. */
  readonly backup?: { readonly created_at: string; readonly sha256: string };
  /** The event that the lost ledger is known to have reached; null when nothing is known of it. */
  readonly lost: { readonly event_seq: number; readonly checksum: string } | null;
  /** Why an older copy was accepted; for a copy. */
  readonly reason?: string;
}

/** The position from which a fork goes on. */
export interface ForkSource {
  readonly project_id: string;
  readonly workflow_id: string;
  readonly event_seq: number;
  readonly checksum: string;
}

/**
 * Tokens by which a restored ledger goes on: more than leases can have been given behind the backup, when nothing is
 * known of them, so that no token is given twice.
 */
const TOKEN_GAP = 1_000_000;

/** Ends every lease of before, and raises the fencing token above every token that may have been given since. */
export function restoreProject(restoration: Restoration, knownToken: number): Command {
  return (state) => {
    const fencing_token = Math.max(state.lease.fencing_token, knownToken) + TOKEN_GAP;
    return {
      type: "project_restored",
      data: { ...restoration, fencing_token },
      state: { ...state, lease: { owner_id: null, fencing_token } },
    };
  };
}

/** Names the source of a fork, and frees the lease. */
export function forkProject(source: ForkSource): Command {
  return (state) => ({
    type: "project_forked",
    data: { source },
    state: { ...state, lease: { owner_id: null, fencing_token: state.lease.fencing_token } },
  });
}
