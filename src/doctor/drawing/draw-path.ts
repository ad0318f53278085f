import { groupBy } from "../../base/group-by.ts";
import { ENTRY_WORDS, VIOLATION_WORDS, type Examination } from "../../health/index.ts";
import { isFailedTurn } from "../../transcript/read.ts";
import { isObject, toWord, type JsonObject } from "../../transcript/json/json.ts";
import type { EntryViolation } from "../../transcript/entries.ts";
import type { Violation } from "../../transcript/violations.ts";
import { callLinks, placeKey, type CallLinks } from "./call-links.ts";
import { firstWords, drawParts } from "./draw-parts.ts";
import type { DrawnEntry, DrawnPart } from "./drawing.ts";
import { noteIn } from "./notes.ts";
import { toMoment } from "../../base/time.ts";

const WORDS = 100;

/** A path of a transcript and its faults. */
export interface Path {
  readonly entries: readonly JsonObject[];
  /** The messages of the path that a model is sent. */
  readonly messages: readonly unknown[];
  readonly examination: Pick<Examination, "violations">;
  /** Faults of rows, by the ids of their entries. */
  readonly rowFaults: ReadonlyMap<unknown, readonly EntryViolation[]>;
  readonly withWords: boolean;
}

/**
 * Draws the entries of a path, each fault at its message and block. Checkpoints, moves and departures are added by
 * {@link withForks}.
 */
export function drawPath({ entries, messages, examination, rowFaults, withWords }: Path): DrawnEntry[] {
  const numbers = new Map(messages.map((message, at) => [message, at]));
  const faults = groupBy(examination.violations, ({ messageIndex }) => messageIndex);
  const links = callLinks(messages);
  const first = entries.findIndex(({ message }) => message !== undefined && numbers.has(message));
  return entries.map((entry, at) => {
    const { id, type, timestamp } = entry;
    const message = type === "message" && isObject(entry.message) ? entry.message : undefined;
    const index = message && numbers.get(message);
    const { parts, messageFaults } = message
      ? withFaults(message, index, faults.get(index ?? -1) ?? [], links)
      : { parts: [], messageFaults: [] };
    return {
      id: toWord(id),
      type: toWord(type),
      at: toMoment(timestamp) ?? toMoment(message?.timestamp),
      number: index === undefined ? undefined : index + 1,
      role: typeof message?.role === "string" ? message.role : "",
      parts,
      faults: messageFaults,
      rowFaults: (rowFaults.get(id) ?? []).map((kind) => ENTRY_WORDS[kind]),
      isSent: index !== undefined || (first >= 0 && at > first) || first < 0,
      isFailed: message !== undefined && message.role === "assistant" && isFailedTurn(message),
      isLeaf: false,
      note: noteIn(entry),
      moves: [],
      words: withWords && message ? firstWords(message, WORDS) : undefined,
      checkpoints: [],
      departures: [],
    };
  });
}

function withFaults(
  message: JsonObject,
  index: number | undefined,
  violations: readonly Violation[],
  links: CallLinks,
): { parts: DrawnPart[]; messageFaults: string[] } {
  const bare = drawParts(message);
  const byId = new Map(bare.map(({ callId }, at): [string | undefined, number] => [callId, at]).toReversed());
  const placed = groupBy(violations, (violation) => partAt(bare, byId, violation));
  const wordsAt = (at: number): string[] => (placed.get(at) ?? []).map(({ kind }) => VIOLATION_WORDS[kind]);
  const isOne = bare.length === 1 && bare[0]!.kind === "result" && message.role !== "user";
  const parts = bare.map((part, at): DrawnPart => {
    const link = index === undefined ? undefined : links.get(placeKey(index, isOne ? -1 : at));
    return { ...part, faults: wordsAt(at), ...(link && { link }) };
  });
  return { parts, messageFaults: wordsAt(-1) };
}

/**
 * Returns the index of the part that has a fault; -1 for the message as a whole. The block index of a violation may
 * count the blocks as a repair leaves them, so the id takes precedence.
 */
function partAt(
  parts: readonly Pick<DrawnPart, "callId">[],
  byId: ReadonlyMap<string | undefined, number>,
  { blockIndex, id }: Violation,
): number {
  const counted = Math.min(blockIndex, parts.length - 1);
  if (id === "" || parts[blockIndex]?.callId === id) return counted;
  return byId.get(id) ?? counted;
}
