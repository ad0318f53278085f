/**
 * Lists in the form of an API: judged and healed as the history of a body of which neither model nor host is known, so
 * that only what every provider of the API refuses is a violation.
 */
import { analyse } from "../transcript/analyse.ts";
import { isObject, toJson, type JsonObject } from "../transcript/json/json.ts";
import { idKey, readCall, readResult } from "../transcript/read.ts";
import { ACTIONS, type RepairStrategy } from "../transcript/repair.ts";
import type { ViolationKind } from "../transcript/violations.ts";
import { findDialect, type Api } from "../wire/apis.ts";
import { MESSAGE_FIELDS as ANTHROPIC_FIELDS } from "../wire/anthropic/blocks.ts";
import { check, heal, type RequestOptions } from "../wire/heal.ts";
import { FROM, type Dialect, type WireViolation } from "../wire/model.ts";
import { MESSAGE_FIELDS as CHAT_FIELDS } from "../wire/openai/completions-messages.ts";
import { CONTINUE_TEXT } from "../wire/turns.ts";
import type { ListKind, ListRepair, ListViolation, RepairedRows } from "./violations.ts";

/** A form of lists that is the history of an API's body. */
export type ApiForm = "anthropic" | "chat" | "responses" | "gemini" | "converse";

const APIS: Readonly<Record<ApiForm, Api>> = {
  anthropic: "anthropic-messages",
  chat: "openai-completions",
  responses: "openai-responses",
  gemini: "google-generative-ai",
  converse: "bedrock-converse-stream",
};

/** Rules on the end of a request. A list is stored with the answer as its end, and is sent with a message behind it. */
const RULES_OF_THE_END = new Set(["last_role", "final_thinking", "final_whitespace"]);

/** Rules that OpenAI's own servers have for the shape of items, and other servers of the API do not. */
const RULES_OF_OPENAI = new Set(["invalid_item", "duplicate_item_id"]);
const OTHER_SERVER: RequestOptions = { host: "openrouter.ai" };

/** The fields of a message of the API. Others are the program's own, which it does not send. */
const FIELDS: Readonly<Record<ApiForm, ReadonlySet<string>>> = {
  anthropic: ANTHROPIC_FIELDS,
  chat: CHAT_FIELDS,
  responses: new Set(["type", "role", "content", "id", "status", "phase"]),
  gemini: new Set(["role", "parts"]),
  converse: new Set(["role", "content"]),
};

/** Fields by which any form tells of calls and results: they are never the program's own. */
const TELLING = new Set(
  (
    "content parts tool_calls function_call tool_call_id toolCallId tool_use_id toolUseId call_id name toolName " +
    "arguments input output result isError is_error"
  ).split(" "),
);

/** Returns a message as it is sent; the same object where it has no fields of the program's own. */
function asSent(form: ApiForm, row: unknown): unknown {
  if (!isObject(row) || typeof row.role !== "string" || (row.type !== undefined && row.type !== "message")) return row;
  if (!("content" in row || "parts" in row || "tool_calls" in row)) return row;
  const own = Object.keys(row).filter((field) => !FIELDS[form].has(field) && !TELLING.has(field));
  if (own.length === 0) return row;
  const sent = { ...row };
  for (const field of own) delete sent[field];
  return sent;
}

/** Returns every rule of the API that the list breaks, in its order. */
export function violationsIn(form: ApiForm, list: readonly unknown[]): ListViolation[] {
  const rows = list.map((row) => asSent(form, row));
  const { found } = judge(form, rows);
  if (found.length === 0) return [];
  const pairs = pairViolations(form, rows);
  const rest = found.filter(({ rule }) => pairs.length === 0 || !RULES_OF_PAIRS.has(rule));
  const others = rest.map(({ rule, path }) => placed(rows, rule as ListKind, path));
  return [...pairs, ...others].toSorted((a, b) => a.messageIndex - b.messageIndex || a.blockIndex - b.blockIndex);
}

/** Returns the list so that it breaks no rule, and what was repaired. */
export function repairIn(form: ApiForm, list: readonly unknown[], strategy: RepairStrategy): RepairedRows {
  const rows = list.map((row) => asSent(form, row));
  const { found, options } = judge(form, rows);
  if (found.length === 0) return { rows: list, repairs: [] };
  const { field } = dialectIn(form);
  const healed = heal(APIS[form], { [field]: rows }, { ...options, strategy })[field] as unknown[];
  const repairs = violationsIn(form, list).map((violation): ListRepair => {
    const action = Object.hasOwn(ACTIONS, violation.kind) ? ACTIONS[violation.kind as ViolationKind] : "rewrite";
    return {
      ...violation,
      action: action === "remove_orphan" && strategy === "reconstruct" ? "reconstruct_call" : action,
    };
  });
  const given = new Map(rows.map((row, at) => [row, list[at]]));
  return { rows: withoutContinuation(rows, healed).map((row) => given.get(row) ?? row), repairs };
}

function dialectIn(form: ApiForm): Dialect {
  return findDialect(APIS[form])!;
}

function judge(form: ApiForm, rows: readonly unknown[]): { found: WireViolation[]; options: RequestOptions } {
  const body = { [dialectIn(form).field]: rows };
  const strict = brokenRules(form, body, {});
  if (form !== "responses" || !strict.some(({ rule }) => RULES_OF_OPENAI.has(rule)))
    return { found: strict, options: {} };
  const lenient = brokenRules(form, body, OTHER_SERVER);
  return lenient.some(({ rule }) => RULES_OF_OPENAI.has(rule))
    ? { found: strict, options: {} }
    : { found: lenient, options: OTHER_SERVER };
}

function brokenRules(form: ApiForm, body: JsonObject, options: RequestOptions): WireViolation[] {
  return check(APIS[form], body, options).filter(({ rule }) => !RULES_OF_THE_END.has(rule));
}

/** Takes off the user's turn that healing puts behind an answer, for a request that would continue it. */
function withoutContinuation(given: readonly unknown[], healed: readonly unknown[]): readonly unknown[] {
  const last = healed.at(-1);
  const isAdded = !given.includes(last) && toJson(last).includes(CONTINUE_TEXT);
  return isAdded && !toJson(given.at(-1)).includes(CONTINUE_TEXT) ? healed.slice(0, -1) : healed;
}

/** Rules on which calls and results belong together; the pairing tells which of them lack what. */
const RULES_OF_PAIRS = new Set(
  (
    "missing_tool_result missing_output unexpected_tool_result unexpected_output output_place " +
    "function_response_count function_response_match duplicate_tool_call_id duplicate_call_id duplicate_tool_use_id"
  ).split(" "),
);
const PAIR_KINDS = new Set<ViolationKind>([
  "orphaned_tool_result",
  "missing_tool_result",
  "duplicate_tool_result",
  "duplicate_tool_call_id",
  "displaced_tool_result",
]);

/** Returns which calls and results do not belong together, by the pairing that repairs them. */
function pairViolations(form: ApiForm, rows: readonly unknown[]): ListViolation[] {
  try {
    const dialect = dialectIn(form);
    const read = dialect.read({ [dialect.field]: rows }, { model: "", host: "", neverPrefills: false });
    const { violations } = analyse([{ role: "user", content: "before" }, ...read], "openclaw");
    const rowPlace = placesIn(rows);
    return violations.flatMap(({ kind, messageIndex, id }) => {
      // The output of a Responses call may stand anywhere behind it.
      if (!PAIR_KINDS.has(kind) || (kind === "displaced_tool_result" && form === "responses")) return [];
      const place = read[messageIndex - 1]?.[FROM];
      return place ? [{ kind, ...rowPlace(place.first, place.last, id), id }] : [];
    });
  } catch {
    // A part of the list cannot be read: the rules alone are told.
    return [];
  }
}

type Spot = Pick<ListViolation, "messageIndex" | "blockIndex">;

/** Returns a look-up of the first block with an id in the rows from `first` to `last`. */
function placesIn(rows: readonly unknown[]): (first: number, last: number, id: string) => Spot {
  const byId = new Map<string, Spot[]>();
  const note = (id: string | undefined, messageIndex: number, blockIndex: number): void => {
    if (id === undefined) return;
    const spots = byId.get(id);
    // Of the blocks of one message the first one counts.
    if (spots?.at(-1)?.messageIndex === messageIndex) return;
    if (spots) spots.push({ messageIndex, blockIndex });
    else byId.set(id, [{ messageIndex, blockIndex }]);
  };
  rows.forEach((row, messageIndex) => {
    blocksIn(row).forEach((block, blockIndex) => note(ownId(block), messageIndex, blockIndex));
    note(ownId(row), messageIndex, -1);
  });
  return (first, last, id) => {
    const spots = byId.get(id) ?? [];
    let [low, high] = [0, spots.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (spots[middle]!.messageIndex < first) low = middle + 1;
      else high = middle;
    }
    const found = spots[low];
    return found && found.messageIndex <= last ? found : { messageIndex: first, blockIndex: -1 };
  };
}

/** Returns the blocks of a message, and the calls beside them. */
function blocksIn(row: unknown): unknown[] {
  if (!isObject(row)) return [];
  const lists = [row.content ?? row.parts, row.tool_calls].filter((list) => Array.isArray(list));
  return lists.flat() as unknown[];
}

function ownId(block: unknown): string | undefined {
  if (!isObject(block)) return undefined;
  const id = readCall(block).id ?? readResult(block).id;
  return id === undefined || id === null ? undefined : idKey(id);
}

/** Places a rule by its path, such as `messages.3.content.0`. */
function placed(rows: readonly unknown[], kind: ListKind, path: string): ListViolation {
  const [, item, field, at] = path.split(".");
  const messageIndex = item === undefined ? 0 : Number(item);
  const blockIndex = field !== undefined && at !== undefined ? Number(at) : -1;
  const row = rows[messageIndex];
  const blocks = isObject(row) && field !== undefined ? row[field] : undefined;
  const block: unknown = blockIndex >= 0 && Array.isArray(blocks) ? blocks[blockIndex] : row;
  return { kind, messageIndex, blockIndex, id: ownId(block) ?? "" };
}
