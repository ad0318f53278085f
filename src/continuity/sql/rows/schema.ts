/** How a database spells the column types. */
export interface ColumnTypes {
  readonly uuid: string;
  readonly bigint: string;
  readonly int: string;
  readonly json: string;
  readonly time: string;
  /**
   * The step that an event belongs to, by its payload; null for events of no step. Also for a payload that is not JSON.
   */
  readonly stepOfEvent: string;
  /** The idempotency key of the step that an event begins; null for other events. */
  readonly keyOfEvent: string;
  /** The type of the step that an event begins. */
  readonly typeOfEvent: string;
  /** The goal or task that an event changes, by its payload; null for other events. */
  readonly itemOfEvent: string;
  /** A text with a maximum number of characters. */
  readonly varchar: (length: number) => string;
  /** Written after the closing bracket of a table. */
  readonly tableEnd: string;
  /** Written after that of a table that is kept in the order of its primary key, where the database can do so. */
  readonly keyedEnd: string;
}

export const SQLITE_TYPES: ColumnTypes = {
  uuid: "TEXT",
  bigint: "INTEGER",
  int: "INTEGER",
  json: "TEXT",
  time: "TEXT",
  itemOfEvent:
    "CASE WHEN json_valid(payload) THEN CASE substr(event_type, 1, 5) WHEN 'goal_' THEN " +
    "json_extract(payload, '$.data.goal_id') WHEN 'task_' THEN json_extract(payload, '$.data.task_id') END END",
  stepOfEvent: "CASE WHEN json_valid(payload) THEN json_extract(payload, '$.data.step_id') END",
  keyOfEvent:
    "CASE WHEN event_type IN ('step_started', 'step_completed') AND json_valid(payload) " +
    "THEN json_extract(payload, '$.data.idempotency_key') END",
  typeOfEvent: "json_extract(payload, '$.data.step_type')",
  varchar: () => "TEXT",
  tableEnd: " STRICT",
  keyedEnd: " STRICT, WITHOUT ROWID",
};

export const POSTGRES_TYPES: ColumnTypes = {
  uuid: "UUID",
  bigint: "BIGINT",
  int: "INT",
  json: "JSONB",
  time: "TIMESTAMPTZ",
  itemOfEvent:
    "(CASE substr(event_type, 1, 5) WHEN 'goal_' THEN payload #>> '{data,goal_id}' " +
    "WHEN 'task_' THEN payload #>> '{data,task_id}' END)",
  stepOfEvent: "(payload #>> '{data,step_id}')",
  keyOfEvent:
    "(CASE WHEN event_type IN ('step_started', 'step_completed') THEN payload #>> '{data,idempotency_key}' END)",
  typeOfEvent: "(payload #>> '{data,step_type}')",
  varchar: (length) => `VARCHAR(${length})`,
  tableEnd: "",
  keyedEnd: "",
};

/** The version of the tables. Any change of them is another version. */
export const TABLES_VERSION = 1;

/**
 * Returns the statements that create the tables. `workflows` holds the head of each ledger, on which the sequence is
 * allocated. The payload of an event does not
 * repeat the checksum of the event before. Type, key and input checksum in `step_attempts` show when a step_id is used
 * for another step. `step_results` holds small results. `idx_events_step` finds the events of a step by their payloads,
 * which checksums cover, so that no other column decides whether a step was completed. `idx_events_item` finds the last
 * form of a finished goal or task. `idx_events_key` and `idx_attempts_key` find the step of an idempotency key, however
 * it is called. In SQLite, the tables of steps have no index of the primary key beside their rows, which would be a
 * third of their size.
 */
export function createStatements(types: ColumnTypes): readonly string[] {
  const { uuid, bigint, int, json, time, stepOfEvent, keyOfEvent, itemOfEvent, varchar, tableEnd, keyedEnd } = types;
  return [
    `CREATE TABLE workflows (
      workflow_id ${uuid} PRIMARY KEY,
      project_id TEXT NOT NULL UNIQUE,
      created_at ${time} NOT NULL,
      last_event_seq ${bigint} NOT NULL,
      head_checksum ${varchar(64)}
    )${tableEnd}`,
    `CREATE TABLE events (
      event_id ${uuid} NOT NULL,
      workflow_id ${uuid} NOT NULL,
      event_seq ${bigint} NOT NULL,
      event_type ${varchar(50)} NOT NULL,
      payload ${json} NOT NULL,
      timestamp ${time} NOT NULL,
      schema_version ${varchar(10)} NOT NULL,
      producer_version ${varchar(20)} NOT NULL,
      checksum ${varchar(64)} NOT NULL,
      PRIMARY KEY (workflow_id, event_seq),
      UNIQUE (event_id)
    )${tableEnd}`,
    `CREATE INDEX idx_events_step ON events(workflow_id, ${stepOfEvent}, event_seq)
      WHERE ${stepOfEvent} IS NOT NULL`,
    `CREATE INDEX idx_events_item ON events(workflow_id, ${itemOfEvent}, event_seq)
      WHERE ${itemOfEvent} IS NOT NULL`,
    `CREATE INDEX idx_events_key ON events(workflow_id, ${keyOfEvent}) WHERE ${keyOfEvent} IS NOT NULL`,
    `CREATE TABLE workflow_leases (
      workflow_id ${uuid} PRIMARY KEY,
      owner_id TEXT NOT NULL,
      acquired_at ${time} NOT NULL,
      lease_expires_at ${time} NOT NULL,
      fencing_token ${bigint} NOT NULL,
      heartbeat_at ${time} NOT NULL
    )${tableEnd}`,
    `CREATE INDEX idx_leases_expiry ON workflow_leases(lease_expires_at)`,
    `CREATE TABLE step_attempts (
      workflow_id ${uuid} NOT NULL,
      step_id ${varchar(100)} NOT NULL,
      attempt_id ${int} NOT NULL,
      started_at ${time} NOT NULL,
      fencing_token ${bigint} NOT NULL,
      step_type ${varchar(20)} NOT NULL,
      idempotency_key TEXT,
      input_checksum ${varchar(64)} NOT NULL,
      PRIMARY KEY (workflow_id, step_id, attempt_id)
    )${keyedEnd}`,
    `CREATE INDEX idx_attempts_key ON step_attempts(workflow_id, idempotency_key, step_type)
      WHERE idempotency_key IS NOT NULL`,
    `CREATE TABLE completed_steps (
      workflow_id ${uuid} NOT NULL,
      step_id ${varchar(100)} NOT NULL,
      attempt_id ${int} NOT NULL,
      completed_at ${time} NOT NULL,
      result_snapshot_ref TEXT NOT NULL,
      result_checksum ${varchar(64)} NOT NULL,
      PRIMARY KEY (workflow_id, step_id),
      FOREIGN KEY (workflow_id, step_id, attempt_id) REFERENCES step_attempts(workflow_id, step_id, attempt_id)
    )${keyedEnd}`,
    `CREATE TABLE step_results (
      checksum ${varchar(64)} PRIMARY KEY,
      content TEXT NOT NULL
    )${tableEnd}`,
    `CREATE TABLE snapshots (
      snapshot_id ${uuid} PRIMARY KEY,
      workflow_id ${uuid} NOT NULL,
      step_number ${int} NOT NULL,
      last_event_seq ${bigint} NOT NULL,
      state_inline ${json},
      state_s3_key TEXT,
      state_checksum ${varchar(64)} NOT NULL,
      created_at ${time} NOT NULL,
      CHECK ((state_inline IS NULL) <> (state_s3_key IS NULL))
    )${tableEnd}`,
    `CREATE UNIQUE INDEX idx_snapshots_workflow_seq ON snapshots(workflow_id, last_event_seq DESC)`,
  ];
}
