/** What a request tells a model of a call: agents say that in words of their own. */
import { isDeepStrictEqual } from "node:util";
import type { Item, ToolCall } from "../cases/case.ts";

/** `nothing`: no words on whether it ran. */
export type Told = "done" | "not_done" | "uncertain" | "nothing";

const UNCERTAIN =
  /\b(?:may|might) (?:or may not |already |also )*(?:have|be)\b|\bcould have\b|\bun(?:known|certain|clear|confirmed)\b|\bnot (?:known|certain|clear|recorded)\b|\bwhether\b|\bcheck before\b/i;
const DENIED =
  /\b(?:cancel|abort|fail|reject|den(?:y|ied)|skipp)|\berror\b|\b(?:not|never|n't) (?:\w+ )?(?:ran|run|start|execut|perform|carr|complet|done|finish|been|happen|paid|succe)|\bnothing of it was done\b|\binterrupted before\b|\btimed out\b/i;
const CLAIMED = /\b(?:success\w*|succeeded|complete[sd]?|done|paid|executed|ok|finished)\b/i;

/** Judges a text about a call. What leaves the outcome open counts before what denies it. */
export function readTold(text: string): Told {
  if (UNCERTAIN.test(text)) return "uncertain";
  if (DENIED.test(text)) return "not_done";
  return CLAIMED.test(text) ? "done" : "nothing";
}

/** The texts of a conversation about a call: its results, and what else names a value of its arguments. */
export function textsOn(items: readonly Item[], call: ToolCall): string {
  const calls = items.filter((item) => item.kind === "call");
  const marks = Object.values(call.arguments).filter((value) => typeof value === "string" && value.length > 5);
  const texts = items.flatMap((item) => {
    if (item.kind === "call") return [];
    if (item.kind !== "result") return marks.some((mark) => item.text.includes(mark as string)) ? [item.text] : [];
    const answered = item.call === null ? undefined : calls[item.call];
    return answered && isSameCall(answered, call) ? [item.text] : [];
  });
  return texts.join("\n");
}

/** Whether two calls are of the same tool with the same arguments. */
export function isSameCall(
  one: { readonly name: string; readonly arguments: unknown },
  other: { readonly name: string; readonly arguments: unknown },
): boolean {
  return one.name === other.name && isDeepStrictEqual(one.arguments, other.arguments);
}
