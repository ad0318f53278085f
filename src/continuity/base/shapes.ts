/**
 * The kinds of values that recorded entries have. Checksums show that nothing was changed by accident; whoever writes a
 * ledger with right checksums can put any JSON into it, which must not end the program that reads that.
 */
import type { RecordName } from "./state.ts";

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === "string";
const isTextOrNull: Check = (value) => value === null || isText(value);
const isNumber: Check = (value) => typeof value === "number";
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isTime: Check = (value) => isText(value) && TIME.test(value as string);
const TIME = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const isAuthor: Check = (value) => isObject(value) && isText(value["entry"]) && isTextOrNull(value["name"]);
const orMissing =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const among =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);

const isStepType = among("pure", "idempotent", "non_idempotent");
/** The fencing token of which a restoration can still give later ones. */
const isToken: Check = (value) => isCount(value) && (value as number) <= LARGEST_TOKEN;
export const LARGEST_TOKEN = 2 ** 52;

const ATTEMPT: Shape = {
  step_id: isText,
  step_type: isStepType,
  attempt_id: isCount,
  fencing_token: isToken,
  idempotency_key: isTextOrNull,
  input_checksum: isText,
  task_id: isTextOrNull,
  call_id: orMissing(isText),
  input_text: isText,
  input_length: orMissing(isCount),
  error: orMissing(isText),
  error_author: orMissing(isAuthor),
  unknown_since: orMissing(isCount),
  not_begun: orMissing((value) => value === true),
  given_up: orMissing(isText),
  started_at: isTime,
  author: isAuthor,
};

const ENTRIES: Readonly<Record<RecordName, Shape>> = {
  goals: {
    goal_id: isText,
    text: isText,
    priority: isNumber,
    status: among("active", "paused", "done", "dropped", "failed"),
    created_at: isTime,
    created_seq: isCount,
    updated_at: isTime,
    author: isAuthor,
  },
  tasks: {
    task_id: isText,
    goal_id: isText,
    title: isText,
    status: among("todo", "doing", "blocked", "done"),
    acceptance_criteria: isTexts,
    depends_on: isTexts,
    blockers: isTexts,
    priority: orMissing(isNumber),
    due: orMissing(isTime),
    retries: orMissing(isCount),
    failures: orMissing(isCount),
    pause_reason: isTextOrNull,
    evidence: isTextOrNull,
    created_seq: isCount,
    status_seq: isCount,
    updated_at: isTime,
    author: isAuthor,
    criteria_author: orMissing(isAuthor),
    status_author: isAuthor,
  },
  checkpoints: {
    task_id: isText,
    where_we_left_off: isText,
    next_step: isText,
    needed_context_refs: isTexts,
    blockers: isTexts,
    timestamp: isTime,
    seq: isCount,
    author: isAuthor,
  },
  open_steps: {
    ...ATTEMPT,
    earlier: orMissing(
      (value) => Array.isArray(value) && value.every((one) => isObject(one) && faultIn(ATTEMPT, one) === undefined),
    ),
  },
};

const isHolder: Check = (value) => isObject(value) && isAuthor(value["author"]) && isTextOrNull(value["session"]);
const CLAIM: Shape = {
  holder: isHolder,
  fencing_token: isCount,
  claimed_at: isTime,
  used_at: isTime,
  until: orNull(isTime),
};
const CLAIM_END: Shape = {
  task_id: isText,
  from: isHolder,
  to: orNull(isHolder),
  why: among("unused", "person", "copy"),
  at: isTime,
  untold: (value) => Array.isArray(value) && value.every(isHolder),
};
const fits =
  (shape: Shape): Check =>
  (value) =>
    isObject(value) && faultIn(shape, value) === undefined;

const PARTS: Shape = {
  lease: (value) => isObject(value) && isTextOrNull(value["owner_id"]) && isToken(value["fencing_token"]),
  completed_steps: isCount,
  worked_at: orNull(isTime),
  unknown_since: orMissing((value) => isObject(value) && isCount(value["event_seq"]) && isTime(value["at"])),
  claims: orMissing((value) => isObject(value) && Object.values(value).every(fits(CLAIM))),
  claim_ends: orMissing((value) => Array.isArray(value) && value.every(fits(CLAIM_END))),
  finished: orMissing((value) => isObject(value) && isCount(value["goals"]) && isCount(value["tasks"])),
};

const EVENT: Shape = {
  event_id: isText,
  workflow_id: isText,
  event_seq: isCount,
  event_type: isText,
  timestamp: isTime,
  schema_version: isText,
  producer_version: isText,
  author: isAuthor,
  previous: isTextOrNull,
  command: orMissing(isText),
  data: isObject,
  delta: Array.isArray,
  state_checksum: isText,
};

/** The data of events, by the names of the fields, which mean the same in every type of event. */
const DATA: Shape = {
  ...all(
    isText,
    "goal_id",
    "text",
    "title",
    "where_we_left_off",
    "next_step",
    "from",
    "to",
    "reason",
    "error",
    "outcome",
  ),
  ...all(isText, "owner_id", "step_id", "input_checksum", "input_text", "result_ref", "result_checksum", "result_form"),
  call_id: isText,
  ...all(isTextOrNull, "task_id", "idempotency_key", "pause_reason", "evidence", "checksum"),
  ...all(isCount, "attempt_id", "input_length", "unknown_since", "event_seq"),
  ...all(isTexts, "acceptance_criteria", "depends_on", "blockers", "needed_context_refs"),
  priority: orNull(isNumber),
  due: orNull(isTime),
  ...all(orNull(isCount), "retries", "failures"),
  fencing_token: isToken,
  step_type: isStepType,
  task: (value) => entryFault("tasks", value) === undefined,
  last: (value) =>
    isObject(value) &&
    [
      ["goals", value["goal"]],
      ["tasks", value["task"]],
      ["checkpoints", value["checkpoint"]],
    ].every(([name, entry]) => entry === undefined || entryFault(name as RecordName, entry) === undefined),
  changes: (value) =>
    Array.isArray(value) &&
    value.every((one) => isObject(one) && isText(one["type"]) && !("changes" in one) && faultInData(one) === undefined),
};
const STEP_FIELDS: Readonly<Partial<Record<string, readonly string[]>>> = {
  step_started: ["step_id", "attempt_id", "fencing_token", "step_type", "input_checksum", "input_text"],
  step_completed: ["step_id", "attempt_id", "result_ref", "result_checksum"],
  step_failed: ["step_id", "attempt_id"],
  step_resolved: ["step_id", "attempt_id", "outcome"],
};

function all(check: Check, ...names: readonly string[]): Shape {
  return Object.fromEntries(names.map((name) => [name, check]));
}

/**
 * Returns the name of the first field of an entry of the state that has a value of another kind; undefined for none.
 */
export function entryFault(name: RecordName, entry: unknown): string | undefined {
  return isObject(entry) ? faultIn(ENTRIES[name], entry) : "the entry";
}

/** Returns the first part of a state, or field of an entry, that has a value of another kind; undefined for none. */
export function stateFault(state: unknown): string | undefined {
  if (!isObject(state)) return "the state";
  const part = faultIn(PARTS, state);
  if (part !== undefined) return part;
  for (const name of Object.keys(ENTRIES) as RecordName[]) {
    const entries = state[name];
    if (!isObject(entries)) return name;
    for (const entry of Object.values(entries)) {
      const fault = entryFault(name, entry);
      if (fault !== undefined) return `${name}: ${fault}`;
    }
  }
  return undefined;
}

/** Returns whether a part of a state that is no record of entries has a value of its kind. */
export function isPart(name: string, value: unknown): boolean {
  return PARTS[name]?.(value) ?? true;
}

/** Returns the first field of an event's payload that has a value of another kind; undefined for none. */
export function eventFault(payload: unknown): string | undefined {
  if (!isObject(payload)) return "the payload";
  const field = faultIn(EVENT, payload);
  if (field !== undefined) return field;
  const data = payload["data"] as Record<string, unknown>;
  const type = payload["event_type"] as string;
  const missing = STEP_FIELDS[type]?.find((name) => data[name] === undefined);
  const fault = missing ?? faultInData(data);
  if (fault !== undefined) return `data/${fault}`;
  const isCompletion = type === "step_resolved" && data["outcome"] === "completed";
  if (isCompletion && (data["result_ref"] === undefined || data["result_checksum"] === undefined))
    return "data/result_ref";
  return undefined;
}

/** Returns whether a text is a time as the kernel writes one: ISO 8601 in UTC, with milliseconds. */
export function isTimeText(value: unknown): boolean {
  return isTime(value);
}

/** The fields of each shape, listed once: states of many thousand entries are read at once. */
const fieldsOf = new Map(
  [...Object.values(ENTRIES), ATTEMPT, CLAIM, CLAIM_END, PARTS, EVENT].map((shape) => [shape, Object.entries(shape)]),
);

function faultIn(shape: Shape, object: Readonly<Record<string, unknown>>): string | undefined {
  return fieldsOf.get(shape)!.find(([name, check]) => !check(object[name]))?.[0];
}

function faultInData(data: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(data).find((name) => Object.hasOwn(DATA, name) && !DATA[name]!(data[name]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
