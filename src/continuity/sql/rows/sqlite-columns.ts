import type { KyselyPlugin, PluginTransformResultArgs, QueryResult, UnknownRow } from "kysely";
import { nameInline, valueInline } from "../../../base/quoted.ts";
import { continuityError } from "../../base/errors.ts";
import { fromBackup } from "../../base/from-backup.ts";

/** Every column that the store reads, with the type of its values. */
const TYPES: ReadonlyMap<string, "number" | "string"> = new Map([
  ...["event_seq", "last_event_seq", "fencing_token", "attempt_id", "step_number", "n"].map(
    (name) => [name, "number"] as const,
  ),
  ...[
    ["workflow_id", "project_id", "created_at", "head_checksum"],
    ["event_id", "event_type", "payload", "timestamp", "schema_version", "producer_version", "checksum"],
    ["previous_checksum"],
    ["owner_id", "acquired_at", "lease_expires_at", "heartbeat_at"],
    ["step_id", "started_at", "step_type", "idempotency_key", "input_checksum"],
    ["completed_at", "result_snapshot_ref", "result_checksum", "content"],
    ["snapshot_id", "state_inline", "state_s3_key", "state_checksum", "integrity_check"],
  ]
    .flat()
    .map((name) => [name, "string"] as const),
]);

/**
 * Refuses rows with a column of another name, or a value of another type than its column's, as `damaged`: SQLite checks
 * types only when it writes, so a damaged file returns bytes or numbers where there are texts.
 */
export const COLUMN_TYPES: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> => {
    for (const row of result.rows)
      for (const name in row) {
        // A column of one of several tables has the table's name before it.
        const [value, type] = [row[name], TYPES.get(name.slice(name.indexOf(".") + 1))];
        if (type !== undefined && (value === null || typeof value === type)) continue;
        throw continuityError("damaged", {
          expected: type === undefined ? "only columns of this program" : `a ${type} as ${name}`,
          found: type === undefined ? `the column ${nameInline(name)}` : valueInline(value),
          todo: `The file is damaged. ${fromBackup()} Nothing was executed.`,
        });
      }
    return result;
  },
};
