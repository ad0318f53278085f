import { shown } from "../json.ts";
import type { JsonObject } from "../types.ts";
import type { Findings } from "./findings.ts";
import { cyclePart } from "./responses-tools.ts";

/** Ids of this provider's own items say in themselves which reasoning item they were made with. */
const PAIRED = /^(?:fc|msg)_paired_([a-z0-9]+)_/;

/** Whose server it is. */
export interface Server {
  openAi: boolean;
  deepseek: boolean;
}

/** Judges the order of the items; their shape is already known to be right. */
export function responsesTurns(
  input: JsonObject[],
  stored: boolean,
  { openAi, deepseek }: Server,
  found: Findings,
): void {
  if (openAi) uniqueIds(input, found);
  calls(input, stored, found);
  if (deepseek) together(input, found);
  reasoning(input, openAi, found);
}

/** DeepSeek's server looks for outputs right behind the calls (recorded; deepseek-ai/DeepSeek-V3#1588). */
function together(input: JsonObject[], found: Findings): void {
  let open: unknown[] = [];
  input.forEach((item) => {
    const part = cyclePart(item);
    if (part?.kind === "call") open.push(item["call_id"]);
    else if (part?.kind === "output") open = open.filter((id) => id !== item["call_id"]);
    else if (open.length > 0) {
      found.add("input", `No tool output found for tool call ${shown(open[0])}.`);
      open = [];
    }
  });
}

function uniqueIds(input: JsonObject[], found: Findings): void {
  const seen = new Set<unknown>();
  input.forEach((item, i) => {
    const { id } = item;
    if (id === undefined || id === null) return;
    if (seen.has(id)) {
      found.add(
        `input[${i}].id`,
        `Duplicate item found with id ${shown(id)}. Remove duplicate items from your input and try again.`,
      );
    }
    seen.add(id);
  });
}

function calls(input: JsonObject[], stored: boolean, found: Findings): void {
  /** Calls by id, with what the API calls them: an output of another type is not found. */
  const asked = new Map<unknown, string>();
  const open = new Map<unknown, string>();
  const answered = new Set<unknown>();
  const firstReference = input.findIndex(({ type }) => type === "item_reference");
  const referenced = { has: (i: number): boolean => firstReference >= 0 && i > firstReference };
  input.forEach((item, i) => {
    const part = cyclePart(item);
    if (part === undefined) return;
    const { kind, words } = part;
    const id = item["call_id"];
    if (kind === "call") {
      if (asked.has(id)) {
        found.add(
          `input[${i}].call_id`,
          `Duplicate function call found with call_id ${shown(id)}. Remove duplicate items from your input and try again.`,
        );
      }
      asked.set(id, words);
      open.set(id, words);
      return;
    }
    // A local shell's output that names its call in `id` only is passed over.
    if (id === undefined) return;
    // Recorded: a function's output answered a local shell and a search of the client's.
    const call = asked.get(id);
    const fits = call === words || (words === "function call" && call !== undefined && call !== "custom tool call");
    // A stored call may be named by a reference.
    if (!fits && !stored && !(call === undefined && referenced.has(i))) {
      found.add("input", `No tool call found for ${words} output with call_id ${shown(id)}.`);
    } else if (answered.has(id)) {
      found.add(
        `input[${i}].call_id`,
        `Duplicate function call output found with call_id ${shown(id)}. Remove duplicate items from your input and try again.`,
      );
    }
    answered.add(id);
    if (fits) open.delete(id);
  });
  for (const [id, words] of open) found.add("input", `No tool output found for ${words} ${shown(id)}.`);
}

function reasoning(input: JsonObject[], openAi: boolean, found: Findings): void {
  // The reasoning item whose fellows are being read; anything else in between ends its run.
  let running: string | undefined;
  input.forEach((item, i) => {
    if (item["type"] === "reasoning" && !belongsToReasoning(input[i + 1], item["id"] !== undefined && openAi)) {
      found.add(
        `input[${i}]`,
        `Item '${shown(item["id"] ?? `input[${i}]`)}' of type 'reasoning' was provided without its required following item.`,
      );
    }
    const mate = PAIRED.exec(shown(item["id"]))?.[1];
    if (mate === undefined) {
      running = item["type"] === "reasoning" ? shown(item["id"]) : undefined;
    } else if (running !== `rs_paired_${mate}`) {
      found.add(
        `input[${i}]`,
        `Item '${shown(item["id"])}' of type '${shown(item["type"])}' was provided without its required 'reasoning' item: 'rs_paired_${mate}'.`,
      );
    }
  });
}

/**
 * A message without `type` is an input of the client's, not the item that reasoning led to (openai/openai-node#1567,
 * and recorded), where the server knows the reasoning by its id; without one it was taken. No report says that
 * reasoning behind reasoning is refused: the last of a run needs its item.
 */
function belongsToReasoning(item: JsonObject | undefined, isKnown: boolean): boolean {
  if (item === undefined) return false;
  if (item["type"] === undefined) return !isKnown && item["role"] === "assistant";
  if (cyclePart(item)?.kind === "output") return false;
  return item["role"] === undefined || item["role"] === "assistant";
}
