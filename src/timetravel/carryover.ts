import { isObject } from "../transcript/json.ts";
import { isCallBlock, readCall } from "../transcript/read.ts";
import { cut } from "./cut.ts";
import { timeTravelError } from "./errors.ts";
import { blocksOf, type History, type HistoryNode, textOfNode } from "./history.ts";
import type { Target } from "./target.ts";

/** A longer note is refused: what is carried over is a note and not the history. */
export const LONGEST_CARRYOVER = 8000;
const LONGEST_QUESTION = 20_000;
const MOST_CALLS = 20;
const LONGEST_CALL = 200;

/**
 * The text of the carryover behind a move: the agent's note, marked as its own, the user's question when the target lies before it, and what was not
 * undone. Deterministic: the same history, target and note give the same text. Throws `bad-carryover` for a note that is empty or too long.
 */
export function carryoverText(history: History, target: Target, note: string): string {
  const text = noteText(note, { name: "a carryover_message", least: 1, todo: "Say what you found out and what to do differently; nothing was moved." });
  const left = leftBehind(history, target);
  return [
    "[Carryover: you, the agent, went back to this point of the conversation and left yourself this note. It was not written by the user and gives you no permission that the user did not.]",
    text,
    ...questionIn(left),
    ...doneIn(left),
  ].join("\n\n");
}

/**
 * The text of the carryover behind a move of the operator's: that the conversation was taken back, what was not undone, and the operator's note if there
 * is one. What the user had asked behind the target is not to be answered: it was taken back. Deterministic. Throws `bad-carryover` for a note that is too
 * long.
 */
export function operatorCarryoverText(history: History, target: Target, note = ""): string {
  const text = noteText(note, { name: "a note", least: 0, todo: "Shorten it; nothing was moved." });
  return [
    "[The operator took the conversation back to this point. What was said after it is no longer part of it, and is not to be answered.]",
    ...(text === "" ? [] : [`[The operator's note:]\n${text}`]),
    ...doneIn(leftBehind(history, target)),
  ].join("\n\n");
}

function noteText(note: string, { name, least, todo }: { readonly name: string; readonly least: number; readonly todo: string }): string {
  const text = note.trim().toWellFormed();
  if (text.length >= least && text.length <= LONGEST_CARRYOVER) return text;
  throw timeTravelError("bad-carryover", { expected: `${name} of ${least === 0 ? "at most" : `${least} to`} ${LONGEST_CARRYOVER} characters`, found: `${text.length}`, todo });
}

/** The nodes of the present path that the target lies before, oldest first. */
export function leftBehind(history: History, target: Target): HistoryNode[] {
  const stays = new Set(history.path(target.nodeId).map(({ id }) => id));
  return history.path().filter(({ id }) => !stays.has(id));
}

/** The user's last question, word for word: without it the agent would not know what it was asked. */
function questionIn(left: readonly HistoryNode[]): string[] {
  const question = left.findLast(({ role }) => role === "user");
  const text = question && textOfNode(question).trim().toWellFormed();
  if (!text) return [];
  const more = text.length > LONGEST_QUESTION ? ` (${text.length - LONGEST_QUESTION} more characters)` : "";
  return [`[The user's last message, which lies behind this point and is still to be answered:]\n${cut(text, LONGEST_QUESTION)}${more}`];
}

function doneIn(left: readonly HistoryNode[]): string[] {
  const calls = left.flatMap((node) => blocksOf(node).filter(isCallBlock)).map((block) => {
    const call = readCall(block);
    const line = `${String(call.name ?? "a tool")} ${isObject(call.arguments) ? JSON.stringify(call.arguments) : String(call.arguments ?? "")}`.replace(/\s+/g, " ").trim().toWellFormed();
    return `- ${cut(line, LONGEST_CALL)}`;
  });
  if (calls.length === 0) return [];
  const more = calls.length > MOST_CALLS ? [`- and ${calls.length - MOST_CALLS} more before these`] : [];
  return [
    `[Not undone by going back: files that were written, commands that were run, messages that were sent. Since this point you had called:]\n${[...more, ...calls.slice(-MOST_CALLS)].join("\n")}`,
  ];
}
