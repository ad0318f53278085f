import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import type { EventRow } from "../../src/continuity/index.ts";
import type { Finding, Rule } from "./finding.ts";

/** What the columns of a row repeat of its payload. */
const REPEATED = [
  "event_id",
  "workflow_id",
  "event_seq",
  "event_type",
  "timestamp",
  "schema_version",
  "producer_version",
] as const;

/**
 * Checks the rows of one workflow, in the order of the ledger, with nothing of the kernel's: positions, checksums,
 * columns, chain.
 */
export function checkChain(project_id: string, rows: readonly EventRow[]): Finding[] {
  const findings: Finding[] = [];
  let before: EventRow | undefined;
  for (const row of rows) {
    const find = (rule: Rule, message: string): void =>
      void findings.push({ rule, project_id, message: `event ${row.event_seq}: ${message}` });
    const payload = JSON.parse(row.payload) as Readonly<Record<string, unknown>>;
    if (row.event_seq !== (before?.event_seq ?? 0) + 1) find("position", `follows ${before?.event_seq ?? "nothing"}`);
    const checksum = createHash("sha256")
      .update(canonicalize(payload) ?? "")
      .digest("hex");
    if (checksum !== row.checksum) find("checksum", `has ${row.checksum}, its payload ${checksum}`);
    for (const name of REPEATED)
      if (payload[name] !== row[name])
        find("columns", `${name} is ${row[name]}, in its payload ${String(payload[name])}`);
    if (payload["previous"] !== (before?.checksum ?? null))
      find("chain", `follows ${String(payload["previous"])}, the one before is ${before?.checksum ?? "none"}`);
    before = row;
  }
  return findings;
}
