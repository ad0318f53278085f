import { timelineIndexFile } from "../../timetravel/timeline-index/index.ts";
import { INDEX_SCHEMA } from "../../timetravel/timeline-index/schema.ts";
import type { Connection } from "../../journal/sqlite.ts";
import { eraseRows, readRows } from "./erase-rows.ts";
import { type Holder, type Holding, nonEmpty, type Subject, subjectValues } from "./holder.ts";
import { namedSession, type NamedRow, type NamedSession } from "./named-session.ts";

const OF_SESSIONS = "session_id IN (SELECT value FROM json_each(?1))";
/** A name belongs to its conversation, in whichever session it was given. */
const OF_NAMES = `${OF_SESSIONS}
  OR scope IN (SELECT value FROM json_each(?1)) OR scope IN (SELECT value FROM json_each(?2))`;

interface Counted {
  readonly count: number;
  readonly bytes: number;
  readonly words: number;
}

/** The timeline index as a holder: hashes, moves with the reasons of failed ones, names that users gave. */
export function timelineRows(stateDirectory: string, { rewrite }: { readonly rewrite: boolean }): Holder {
  const file = timelineIndexFile(stateDirectory);
  const find = (subject: Subject): Holding[] =>
    readRows(file, INDEX_SCHEMA, (connection) => found(connection, file, subject)) ?? [];
  return {
    find,
    erase: (subject) =>
      eraseRows(
        file,
        INDEX_SCHEMA,
        (connection) => {
          const [ids, keys] = subjectValues(subject);
          for (const table of ["nodes", "actions"])
            connection.prepare(`DELETE FROM ${table} WHERE ${OF_SESSIONS}`).run(ids);
          connection.prepare(`DELETE FROM refs WHERE ${OF_NAMES}`).run(ids, keys);
        },
        { rewrite: rewrite || find(subject).some(({ hasWords }) => hasWords) },
      ),
  };
}

/** Lists the sessions and conversations in the timeline index. */
export function timelineNames(stateDirectory: string): NamedSession[] {
  const rows = readRows(timelineIndexFile(stateDirectory), INDEX_SCHEMA, (connection) =>
    connection
      .prepare(
        // A session without a conversation has its own id as the scope of its names.
        `SELECT DISTINCT session_id AS id, NULL AS key, 0 AS words FROM nodes
     UNION ALL SELECT session_id, NULL, max(reason IS NOT NULL) FROM actions GROUP BY session_id
     UNION ALL SELECT DISTINCT session_id, CASE WHEN scope <> session_id THEN scope END, 1 FROM refs`,
      )
      .all<NamedRow>(),
  );
  return (rows ?? []).map(namedSession);
}

function found(connection: Connection, place: string, subject: Subject): Holding[] {
  const [ids, keys] = subjectValues(subject);
  const toSizes = (row: Counted | undefined): Pick<Holding, "count" | "bytes" | "hasWords"> => ({
    count: row?.count ?? 0,
    bytes: row?.bytes ?? 0,
    hasWords: (row?.words ?? 0) > 0,
  });
  const nodes = connection
    .prepare(
      `SELECT count(*) AS count, coalesce(sum(octet_length(hash) + octet_length(row_hash)), 0) AS bytes, 0 AS words
         FROM nodes WHERE ${OF_SESSIONS}`,
    )
    .get<Counted>(ids);
  const moves = connection
    .prepare(
      `SELECT count(*) AS count, coalesce(sum(octet_length(intent_id) + coalesce(octet_length(reason), 0)), 0) AS bytes,
           count(reason) AS words
         FROM actions WHERE ${OF_SESSIONS}`,
    )
    .get<Counted>(ids);
  const names = connection
    .prepare(
      `SELECT count(*) AS count, coalesce(sum(octet_length(name) + octet_length(scope)), 0) AS bytes, count(*) AS words
         FROM refs WHERE ${OF_NAMES}`,
    )
    .get<Counted>(ids, keys);
  return nonEmpty([
    { kind: "node_hashes", place, ...toSizes(nodes) },
    { kind: "moves", place, ...toSizes(moves) },
    { kind: "names", place, ...toSizes(names) },
  ]);
}
