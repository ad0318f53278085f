import { journalFile } from "../../journal/index.ts";
import { JOURNAL_SCHEMA } from "../../journal/schema.ts";
import type { Connection } from "../../journal/sqlite.ts";
import { eraseRows, readRows } from "./erase-rows.ts";
import { type Holder, type Holding, nonEmpty, type Subject, subjectValues } from "./holder.ts";
import { namedSession, type NamedRow, type NamedSession } from "./named-session.ts";

/** All ids in one JSON parameter: SQLite limits the number of parameters, and a conversation can have many sessions. */
const OF_SESSIONS = "session_id IN (SELECT value FROM json_each(?1))";
/** Some incidents were recorded with the conversation's key only. */
const OF_INCIDENTS = `${OF_SESSIONS} OR (
  json_valid(details) AND json_extract(details, '$.sessionKey') IN (SELECT value FROM json_each(?2)))`;

const OF_LEARNED = "scope = 'session' AND name IN (SELECT value FROM json_each(?1))";

interface Counted {
  readonly count: number;
  readonly bytes: number;
  readonly words: number;
}

/** The guard's journal as a holder. `rewrite`: rewrite the file after each deletion. */
export function journalRows(stateDirectory: string, { rewrite }: { readonly rewrite: boolean }): Holder {
  const file = journalFile(stateDirectory);
  return {
    find: (subject) => readRows(file, JOURNAL_SCHEMA, (connection) => found(connection, file, subject)) ?? [],
    // Also runs without rows to delete: a kill may have left them in the write-ahead log.
    erase: (subject) =>
      eraseRows(
        file,
        JOURNAL_SCHEMA,
        (connection) => {
          const [ids, keys] = subjectValues(subject);
          for (const table of ["tool_cycles", "unanswered_messages", "checkpoints", "snapshot_messages"])
            connection.prepare(`DELETE FROM ${table} WHERE ${OF_SESSIONS}`).run(ids);
          connection.prepare(`DELETE FROM learned WHERE ${OF_LEARNED}`).run(ids);
          connection.prepare(`DELETE FROM incidents WHERE ${OF_INCIDENTS}`).run(ids, keys);
        },
        { rewrite },
      ),
  };
}

/** Lists the sessions and conversations in the journal. */
export function journalNames(stateDirectory: string): NamedSession[] {
  const rows = readRows(journalFile(stateDirectory), JOURNAL_SCHEMA, (connection) =>
    connection
      .prepare(
        `SELECT session_id AS id, NULL AS key, max(coalesce(result, call) IS NOT NULL) AS words
       FROM tool_cycles GROUP BY session_id
     UNION ALL SELECT session_id, NULL, 1 FROM unanswered_messages GROUP BY session_id
     UNION ALL SELECT DISTINCT name, NULL, 0 FROM learned WHERE scope = 'session'
     UNION ALL SELECT session_id, NULL, max(snapshot IS NOT NULL) FROM checkpoints GROUP BY session_id
     UNION ALL SELECT DISTINCT
       session_id, CASE WHEN json_valid(details) THEN json_extract(details, '$.sessionKey') END, 0
       FROM incidents`,
      )
      .all<NamedRow>(),
  );
  return (rows ?? []).map(namedSession);
}

function found(connection: Connection, place: string, subject: Subject): Holding[] {
  const [ids, keys] = subjectValues(subject);
  const count = (table: string, bytes: string, words: string, where = OF_SESSIONS): Counted => {
    const statement = connection.prepare(
      `SELECT count(*) AS count, coalesce(sum(${bytes}), 0) AS bytes, count(${words}) AS words
         FROM ${table} WHERE ${where}`,
    );
    return (where === OF_INCIDENTS ? statement.get<Counted>(ids, keys) : statement.get<Counted>(ids))!;
  };
  const cycles = count(
    "tool_cycles",
    "octet_length(call_id) + coalesce(octet_length(ltrim(result)), 0) + coalesce(octet_length(ltrim(call)), 0)",
    "coalesce(result, call)",
  );
  const messages = count("unanswered_messages", "octet_length(ltrim(message))", "message");
  const checkpoints = count("checkpoints", "octet_length(content_hash)", "snapshot");
  const copies = count("snapshot_messages", "octet_length(ltrim(message))", "message");
  const incidents = count("incidents", "octet_length(details)", "NULL", OF_INCIDENTS);
  const learned = count("learned", "octet_length(what) + octet_length(value)", "NULL", OF_LEARNED);
  return nonEmpty([
    { kind: "tool_calls", place, ...toHolding(cycles) },
    { kind: "unanswered_messages", place, ...toHolding(messages) },
    {
      kind: "checkpoints",
      place,
      ...toHolding({
        ...checkpoints,
        bytes: checkpoints.bytes + copies.bytes,
        words: checkpoints.words + copies.words,
      }),
    },
    { kind: "learned", place, ...toHolding(learned) },
    { kind: "incidents", place, ...toHolding(incidents) },
  ]);
}

function toHolding({ count, bytes, words }: Counted): Pick<Holding, "count" | "bytes" | "hasWords"> {
  return { count, bytes, hasWords: words > 0 };
}
