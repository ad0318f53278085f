/** UIMessage of the AI SDK: a call and its result are one part, so that no result lacks a call. */
import { isBlank, isObject, type JsonObject, toJson } from "../../transcript/json/json.ts";
import { freshId } from "../../transcript/json/hash.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import { plainCopy } from "../../transcript/json/plain.ts";
import { NOT_STARTED_CALL, RECONSTRUCTED_TOOL, UNKNOWN_OUTCOME } from "../../transcript/json/text.ts";
import { idKey, isUsableId } from "../../transcript/read.ts";
import type { ListRepair, RepairedRows } from "../violations.ts";
import { soundArguments } from "./arguments.ts";

/** Repairs UI messages; `rows` themselves where nothing breaks a rule. */
export function repairUiMessages(rows: readonly unknown[]): RepairedRows {
  try {
    return repairRead(rows as readonly JsonObject[]);
  } catch {
    // A part of it cannot be read.
    return repairRead(rows.map((row) => plainCopy(row)) as JsonObject[]);
  }
}

function repairRead(rows: readonly JsonObject[]): RepairedRows {
  const repairs: ListRepair[] = [];
  const taken = new Set<string>();
  for (const row of rows) for (const part of partsIn(row)) if (isCall(part)) taken.add(idKey(part.toolCallId));
  const used = new Set<string>();
  const copies = findCopies(rows);
  const written = rows.flatMap((row, messageIndex) => {
    if (copies.has(messageIndex)) {
      const blockIndex = partsIn(row).findIndex(isCall);
      const id = idKey((partsIn(row)[blockIndex] as JsonObject).toolCallId);
      repairs.push({ kind: "duplicate_tool_call_id", messageIndex, blockIndex, id, action: "remove_copy" });
      return [];
    }
    if (isEmpty(row)) {
      repairs.push({ kind: "empty_message", messageIndex, blockIndex: -1, id: "", action: "remove_empty_message" });
      return [];
    }
    if (row.role !== "assistant") return [row];
    const isLast = messageIndex === rows.length - 1;
    let blockIndex = -1;
    const parts = mapChanged(row.parts as unknown[], (part) => {
      blockIndex++;
      if (!isCall(part)) return part;
      const note = (kind: ListRepair["kind"], action: ListRepair["action"]): void =>
        void repairs.push({ kind, messageIndex, blockIndex, id: idKey(part.toolCallId), action });
      return withResult(named(identified(part, used, taken, note), note), isLast, note);
    });
    return [parts === row.parts ? row : { ...row, parts }];
  });
  return repairs.length === 0 ? { rows, repairs } : { rows: written, repairs };
}

/** Returns the indices of messages with calls that are stored once more beside them, with the same results or more. */
function findCopies(rows: readonly JsonObject[]): ReadonlySet<number> {
  const copies = new Set<number>();
  let kept = 0;
  for (let at = 1; at < rows.length; at++) {
    const [one, other] = [rows[kept]!, rows[at]!];
    const isSame =
      one.role === "assistant" && other.role === one.role && partsIn(other).some(isCall) && asked(one) === asked(other);
    if (isSame && (isOpen(other) || toJson(one.parts) === toJson(other.parts))) copies.add(at);
    else if (isSame && isOpen(one)) {
      copies.add(kept);
      kept = at;
    } else kept = at;
  }
  return copies;
}

/** Names what a message says, without what became of its calls. */
function asked(row: JsonObject): string {
  const said = partsIn(row).map((part) =>
    isCall(part) ? [part.type, part.toolCallId, part.toolName, part.input] : part,
  );
  return toJson(said);
}

function isOpen(row: JsonObject): boolean {
  return partsIn(row)
    .filter(isCall)
    .every(({ state }) => state === "input-available");
}

type Note = (kind: ListRepair["kind"], action: ListRepair["action"]) => void;

function partsIn({ parts }: JsonObject): unknown[] {
  return parts as unknown[];
}

/** True for a call that is sent: one that is still being written is left out by the AI SDK itself. */
function isCall(part: unknown): part is JsonObject & { type: string } {
  if (!isObject(part) || typeof part.type !== "string" || part.state === "input-streaming") return false;
  return part.type === "dynamic-tool" || part.type.startsWith("tool-");
}

/** True for a message of nothing but blank texts. An assistant's without any text is not sent by the AI SDK itself. */
function isEmpty(row: JsonObject): boolean {
  const said = partsIn(row).filter((part) => !(isObject(part) && part.type === "step-start"));
  return row.role !== "system" && said.length > 0 && said.every(isBlankText);
}

function isBlankText(part: unknown): boolean {
  return isObject(part) && part.type === "text" && typeof part.text === "string" && isBlank(part.text);
}

function identified(part: JsonObject, used: Set<string>, taken: Set<string>, note: Note): JsonObject {
  const key = idKey(part.toolCallId);
  const isUsable = isUsableId(part.toolCallId);
  if (isUsable && !used.has(key)) {
    used.add(key);
    return part;
  }
  note(key === "" ? "empty_id" : isUsable ? "duplicate_tool_call_id" : "invalid_id", "rekey");
  const toolCallId = freshId(key, used.size, taken);
  used.add(toolCallId);
  return { ...part, toolCallId };
}

function named(part: JsonObject, note: Note): JsonObject {
  const isDynamic = part.type === "dynamic-tool";
  const name = isDynamic ? part.toolName : (part.type as string).slice("tool-".length);
  if (typeof name === "string" && !isBlank(name)) return part;
  note("foreign_block", "convert_block");
  return isDynamic ? { ...part, toolName: RECONSTRUCTED_TOOL } : { ...part, type: `tool-${RECONSTRUCTED_TOOL}` };
}

const WAITING = new Set<unknown>(["approval-requested", "approval-responded"]);

/** Gives a call arguments, and one that will get no result any more the result that its outcome is unknown. */
function withResult(part: JsonObject, isLast: boolean, note: Note): JsonObject {
  // An input that could not be read is kept as it came.
  const isUnread = part.state === "output-error" && (part.input ?? null) === null && (part.rawInput ?? null) !== null;
  const sound = isUnread ? part.input : soundArguments(part.input);
  const call = sound === part.input ? part : { ...part, input: sound };
  if (call !== part) note("invalid_arguments", "convert_block");
  const isWaiting = WAITING.has(part.state);
  if (part.providerExecuted === true || (!isWaiting && part.state !== "input-available") || (isWaiting && isLast))
    return call;
  note("missing_tool_result", "add_result");
  if (part.state === "approval-responded" && isObject(part.approval) && part.approval.approved === false)
    return { ...call, state: "output-denied" };
  const errorText = part.state === "approval-requested" ? NOT_STARTED_CALL : UNKNOWN_OUTCOME;
  return { ...call, state: "output-error", errorText };
}
