import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import type { EventRow } from "../../src/continuity/index.ts";

/** What one event of a hand-made ledger says. */
export interface Told {
  readonly type: string;
  readonly data: object;
}

/**
 * A ledger made by hand, for the checker's tests: rows with right positions, checksums and chain, whatever their events
 * say.
 */
export function makeLedger(told: readonly Told[]): EventRow[] {
  const rows: EventRow[] = [];
  for (const [at, { type, data }] of told.entries()) {
    const columns = {
      event_id: `event-${at + 1}`,
      workflow_id: "workflow",
      event_seq: at + 1,
      event_type: type,
      timestamp: "2026-11-22T12:00:00.000Z",
      schema_version: "1",
      producer_version: "0",
    };
    const payload = String(canonicalize({ ...columns, previous: rows.at(-1)?.checksum ?? null, data }));
    rows.push({ ...columns, payload, checksum: hashText(payload) });
  }
  return rows;
}

/** SHA-256 of a text in hexadecimal digits. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** An event of a lease or step, under that token; its owner is called after it. */
export function underToken(type: string, token: number, more: object = {}): Told {
  return { type, data: { owner_id: `owner-${token}`, fencing_token: token, ...more } };
}
