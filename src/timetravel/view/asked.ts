import { toIso } from "../../base/time.ts";
import { isObject } from "../../transcript/json/json.ts";
import { isCallBlock } from "../../transcript/read.ts";
import { isClosed } from "../closed.ts";
import { findAuthor, listAttached, isAside, isRequest, readMedia } from "../conversation/authors.ts";
import { listQuestionIds } from "../conversation/unanswered.ts";
import { nodeBlocks, type History, type HistoryNode, textOfNode } from "../history.ts";
import { readArrival } from "../records.ts";

/** A place that a person knows by their own words: the one before a message of theirs. */
export interface AskedPlace {
  /** Id of the message. */
  readonly id: string;
  /** The place before the message; null is the beginning. */
  readonly targetId: string | null;
  /** The message's whole text. */
  readonly words: string;
  /** How many pictures and files came with it. */
  readonly attached: number;
  /** A scheduled job or another session asked it, not a person. */
  readonly isTask: boolean;
  /** ISO 8601; null when the entry has no valid time. */
  readonly time: string | null;
  /** Messages and tool calls from this one to the present end. */
  readonly messages: number;
  readonly calls: number;
}

/**
 * Returns the places before the last `most` messages that were asked on the present path, the youngest first: number n
 * of the list is the target `turn:-n`. Messages that a carryover repeats are among them, with the carryover's place.
 */
export function askedPlaces(history: History, most: number): AskedPlace[] {
  const path = history.path();
  const asked = path.flatMap((node, at): { readonly request: HistoryNode; readonly at: number }[] => {
    if (isRequest(history, node)) return [{ request: node, at }];
    const arrival = readArrival(node.entry);
    const repeated = arrival?.by === "agent" ? listQuestionIds(arrival) : [];
    // A copy with other ids has lost a repeated message: the carryover then stands for it.
    return repeated.map((id) => ({ request: history.node(id) ?? node, at }));
  });
  const counts = countsFrom(history, path);
  const places = placesBefore(history, path);
  return asked
    .toReversed()
    .slice(0, most)
    .map(({ request, at }) => ({
      id: request.id,
      targetId: places[at]!,
      words: readAsked(request),
      attached: Math.max(readMedia(request).length, listAttached(request).length),
      isTask: findAuthor(history, request) !== "person",
      time: toIso(request.entry.timestamp) ?? null,
      ...counts[at]!,
    }));
}

/** The time that OpenClaw puts before a message for the agent, and the channel and sender before it. */
const BEFORE = /^\[[^[\]\n]{0,200}\d{4}-\d\d-\d\d[ T]\d\d:\d\d[^[\]\n]{0,40}\] ?/;
/** The id that releases up to 2026.2 put behind it. */
const BEHIND = /\n\[message_id: [\w-]{1,80}\]$/;

/** The text of a message as the person has written it, as far as that can be told. */
function readAsked(node: HistoryNode): string {
  return textOfNode(node).trim().replace(BEFORE, "").replace(BEHIND, "").trim();
}

/** Returns, for each node of a path, the last place before it to which a move can go; null is the beginning. */
function placesBefore(history: History, path: readonly HistoryNode[]): readonly (string | null)[] {
  let place: string | null = null;
  return path.map((node) => {
    const before = place;
    if (isClosed(history, node) && !isAside(history, node)) place = node.id;
    return before;
  });
}

/** Returns for each node of a path how many messages and calls there are from it to the end. */
function countsFrom(
  history: History,
  path: readonly HistoryNode[],
): readonly { readonly messages: number; readonly calls: number }[] {
  let [messages, calls] = [0, 0];
  return path
    .toReversed()
    .map((node) => {
      if (isTalk(history, node)) messages += 1;
      calls += node.role === "assistant" ? nodeBlocks(node).filter(isCallBlock).length : 0;
      return { messages, calls };
    })
    .toReversed();
}

/** Whether people see a node as a message of the conversation: no command to OpenClaw, no result, and with words. */
function isTalk(history: History, node: HistoryNode): boolean {
  if (node.entry.type !== "message" || !isObject(node.entry.message) || isAside(history, node)) return false;
  return (node.role === "user" || node.role === "assistant") && textOfNode(node).trim() !== "";
}
