import { shown } from "../json.ts";
import type { JsonObject } from "../types.ts";
import type { Findings } from "./findings.ts";

/** Ids of this provider's own items say in themselves which reasoning item they were made with. */
const PAIRED = /^(?:fc|msg)_paired_([a-z0-9]+)_/;

/** Judges the order of the items; their shape is already known to be right. */
export function responsesTurns(input: JsonObject[], stored: boolean, found: Findings): void {
  uniqueIds(input, found);
  calls(input, stored, found);
  reasoning(input, found);
}

/** The call and output items, custom tools included. */
function kindOf(item: JsonObject): "call" | "output" | undefined {
  if (item["type"] === "function_call" || item["type"] === "custom_tool_call") return "call";
  if (item["type"] === "function_call_output" || item["type"] === "custom_tool_call_output") return "output";
  return undefined;
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
  const asked = new Set<unknown>();
  const open = new Set<unknown>();
  const answered = new Set<unknown>();
  input.forEach((item, i) => {
    const kind = kindOf(item);
    const id = item["call_id"];
    if (kind === "call") {
      if (asked.has(id)) {
        found.add(`input[${i}].call_id`, `Duplicate function call found with call_id ${shown(id)}. Remove duplicate items from your input and try again.`);
      }
      asked.add(id);
      open.add(id);
    } else if (kind === "output") {
      if (!asked.has(id) && !stored) {
        found.add("input", `No tool call found for function call output with call_id ${shown(id)}.`);
      } else if (answered.has(id)) {
        found.add(`input[${i}].call_id`, `Duplicate function call output found with call_id ${shown(id)}. Remove duplicate items from your input and try again.`);
      }
      answered.add(id);
      open.delete(id);
    }
  });
  for (const id of open) found.add("input", `No tool output found for function call ${shown(id)}.`);
}

function reasoning(input: JsonObject[], found: Findings): void {
  // The reasoning item whose fellows are being read; anything else in between ends its run.
  let running: string | undefined;
  input.forEach((item, i) => {
    if (item["type"] === "reasoning" && !belongsToReasoning(input[i + 1])) {
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

function belongsToReasoning(item: JsonObject | undefined): boolean {
  if (item === undefined || item["type"] === "reasoning" || kindOf(item) === "output") return false;
  return item["role"] === undefined || item["role"] === "assistant";
}
