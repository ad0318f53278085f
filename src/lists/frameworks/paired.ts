/**
 * Repairs the lists of frameworks that have calls in assistant messages and results in messages behind them (LangChain,
 * the AI SDK's ModelMessage). Each list is read into OpenClaw's stored form, repaired there by `repair`, and written
 * back in its own form. A row that the repair does not change stays the same object, unless reading a row throws.
 */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { plainCopy } from "../../transcript/json/plain.ts";
import { repair, type RepairStrategy } from "../../transcript/repair.ts";
import { selectMembers, withForeignRows } from "../foreign-rows.ts";
import type { ListRepair, RepairedRows } from "../violations.ts";

/** On a block or a result in the stored form: the framework's own block, call or result that it was read from. */
export const SOURCE: unique symbol = Symbol("source");
/** On a message in the stored form: the row that it was read from. */
const ROW: unique symbol = Symbol("row");
/** On a result in the stored form: its index among the parts of its row. */
export const PART: unique symbol = Symbol("part");

/** A message or block of the stored form. */
export type Read = JsonObject & { [SOURCE]?: JsonObject; [ROW]?: RowReading; [PART]?: number };

/** A row of the list, and the messages of the stored form that were read from it. */
interface RowReading {
  readonly row: JsonObject;
  readonly index: number;
  messages: readonly Read[];
}

/** A fault of one part that needs no look at other messages: {@link Framework.settle} corrects it. */
export type Settled = Pick<ListRepair, "kind" | "blockIndex" | "id">;

/** How a form is read into the stored form and written from it. */
export interface Framework {
  /** Returns how the rows of this list are read; absent where each row tells enough. */
  inList?(rows: readonly unknown[]): Framework;
  /** Gives arguments and results the types that the form asks for; the same row where they have them. */
  settle(row: JsonObject, note: (fault: Settled) => void): JsonObject;
  /**
   * Returns a row in the stored form, one message for each result; none for a row without content of its own.
   * `isLast`: no assistant speaks behind it.
   */
  read(row: JsonObject, isLast: boolean): Read[];
  /** Writes consecutive messages of a row, or one that the repair has added. `isFirst`: none of the row is before. */
  write(messages: readonly Read[], row: JsonObject | undefined, isFirst: boolean): unknown;
}

/**
 * Repairs the messages of a framework's list. Returns `rows` themselves where nothing breaks a rule. Where reading a
 * row throws, all rows are plain JSON copies.
 */
export function repairPaired(framework: Framework, rows: readonly unknown[], strategy: RepairStrategy): RepairedRows {
  try {
    return repairRead(framework, rows, strategy);
  } catch {
    // Reading a row has thrown (a getter, a circle): plain JSON copies of all rows are repaired instead.
    return repairRead(
      framework,
      rows.map((row) => plainCopy(row)),
      strategy,
    );
  }
}

function repairRead(form: Framework, rows: readonly unknown[], strategy: RepairStrategy): RepairedRows {
  const framework = form.inList?.(rows) ?? form;
  const lastAssistant = rows.findLastIndex((row) => isObject(row) && row.role === "assistant");
  const settled: ListRepair[] = [];
  const readings = rows.map((given, index): RowReading => {
    const note = (fault: Settled): void =>
      void settled.push({ ...fault, messageIndex: index, action: "convert_block" });
    const row = framework.settle(given as JsonObject, note);
    const place: RowReading = { row, index, messages: [] };
    place.messages = framework.read(row, index === lastAssistant).map((message) => ({ ...message, [ROW]: place }));
    return place;
  });
  const read = readings.flatMap(({ messages }) => messages);
  const { messages, repairs } = repair(read, { strategy });
  if (repairs.length === 0 && settled.length === 0) return { rows, repairs: [] };
  const given = readings.map(({ row }) => row);
  const members = selectMembers(
    given,
    readings.map((place) => place.messages.length > 0),
  );
  const written = write(framework, messages as readonly Read[]);
  const found = repairs.map((one): ListRepair => {
    const message = read[one.messageIndex]!;
    const blockIndex = one.blockIndex < 0 ? (message[PART] ?? -1) : one.blockIndex;
    return { ...one, messageIndex: message[ROW]!.index, blockIndex };
  });
  return {
    rows: withForeignRows(given, members, written),
    repairs: [...settled, ...found].toSorted((a, b) => a.messageIndex - b.messageIndex || a.blockIndex - b.blockIndex),
  };
}

function write(framework: Framework, messages: readonly Read[]): unknown[] {
  const out: unknown[] = [];
  const begun = new Set<RowReading>();
  for (let at = 0; at < messages.length;) {
    const place = messages[at]![ROW];
    // What the repair has added is a message of its own.
    const end = place ? endOfRow(messages, at, place) : at + 1;
    const part = messages.slice(at, end);
    const isWhole = place?.messages.length === part.length && part.every((one, index) => one === place.messages[index]);
    out.push(isWhole ? place.row : framework.write(part, place?.row, place === undefined || !begun.has(place)));
    if (place) begun.add(place);
    at = end;
  }
  return out;
}

/** Returns where the messages of a row end that begin at `start`. */
function endOfRow(messages: readonly Read[], start: number, place: RowReading): number {
  let end = start + 1;
  while (messages[end]?.[ROW] === place) end++;
  return end;
}

/** Returns a block that stands for a text, a picture or another part that is neither call nor result. */
export function opaque(part: unknown): Read {
  return { type: "thinking", thinking: "opaque", [SOURCE]: part as JsonObject };
}

/** Stands for a message that is neither the user's nor the assistant's nor a result, such as a system prompt. */
export const UNJUDGED: Read = { role: "custom", content: "" };
