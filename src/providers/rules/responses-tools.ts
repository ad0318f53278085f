import { isObject, shown } from "../json.ts";
import type { JsonObject } from "../types.ts";
import type { OpenAiTexts } from "./openai-texts.ts";

/*
 * Calls that the client carries out and their outputs, one type of output for each type of call. Sources: OpenAI's
 * reference of the input items (openai-node, `responses.ts`), its guides on the shell, apply_patch, computer, custom
 * tools and tool search, and these reports:
 * - openai/openai-agents-python#1855: a local shell's output without `call_id` is not found ("No tool output found for
 * local shell call").
 * - diegosouzapw/OmniRoute#8946: "No tool output found for custom tool call".
 */

interface Family {
  /** What the API calls the call in its texts. */
  words: string;
  output: string;
}

const FAMILIES: Record<string, Family> = {
  function_call: { words: "function call", output: "function_call_output" },
  custom_tool_call: { words: "custom tool call", output: "custom_tool_call_output" },
  local_shell_call: { words: "local shell call", output: "local_shell_call_output" },
  shell_call: { words: "shell call", output: "shell_call_output" },
  apply_patch_call: { words: "apply patch call", output: "apply_patch_call_output" },
  computer_call: { words: "computer call", output: "computer_call_output" },
  tool_search_call: { words: "tool search call", output: "tool_search_output" },
};

/** What an item is in a tool cycle; undefined for all else, and for searches that the server carried out. */
export function cyclePart(item: JsonObject): { kind: "call" | "output"; words: string } | undefined {
  const type = shown(item["type"]);
  const ofServer = item["call_id"] === undefined || item["call_id"] === null || item["execution"] === "server";
  if (type.startsWith("tool_search") && ofServer) return undefined;
  if (Object.hasOwn(FAMILIES, type)) return { kind: "call", words: FAMILIES[type]?.words ?? "" };
  const family = Object.values(FAMILIES).find(({ output }) => output === type);
  return family && { kind: "output", words: family.words };
}

type Check = (texts: OpenAiTexts, item: JsonObject, path: string) => void;

const needsObject =
  (field: string): Check =>
  (texts, item, path) => {
    if (item[field] === undefined) texts.missing(`${path}.${field}`);
    else if (!isObject(item[field])) texts.type(`${path}.${field}`, "an object", item[field]);
  };

const needsChoice =
  (field: string, choices: readonly string[]): Check =>
  (texts, item, path) => {
    if (item[field] === undefined) texts.missing(`${path}.${field}`);
    else if (!choices.includes(shown(item[field]))) texts.choice(`${path}.${field}`, item[field], choices);
  };

const needsList =
  (field: string): Check =>
  (texts, item, path) => {
    if (item[field] === undefined) texts.missing(`${path}.${field}`);
    else if (!Array.isArray(item[field])) texts.type(`${path}.${field}`, "an array of objects", item[field]);
  };

const needsText =
  (field: string): Check =>
  (texts, item, path) => {
    if (item[field] === undefined || item[field] === null) texts.missing(`${path}.${field}`);
    else if (typeof item[field] !== "string") texts.type(`${path}.${field}`, "a string", item[field]);
  };

const CHECKS: Record<string, Check[]> = {
  custom_tool_call: [needsText("name"), needsText("input")],
  local_shell_call: [needsObject("action")],
  local_shell_call_output: [needsText("output")],
  shell_call: [needsObject("action")],
  shell_call_output: [needsList("output"), shellOutput],
  apply_patch_call: [needsObject("operation"), needsChoice("status", ["in_progress", "completed"])],
  apply_patch_call_output: [needsChoice("status", ["completed", "failed"])],
  computer_call_output: [needsObject("output"), screenshot],
  tool_search_output: [needsList("tools")],
};

/** Judges an item of a client's tool by itself, ids included. */
export function toolItem(texts: OpenAiTexts, item: JsonObject, path: string): void {
  const part = cyclePart(item);
  // The reference names no `call_id` for a local shell's output, so the API does not ask for one there.
  if (part && !(item["type"] === "local_shell_call_output" && item["call_id"] === undefined))
    texts.string(`${path}.call_id`, item["call_id"], 64);
  for (const check of CHECKS[shown(item["type"])] ?? []) check(texts, item, path);
}

function shellOutput(texts: OpenAiTexts, item: JsonObject, path: string): void {
  if (!Array.isArray(item["output"])) return;
  item["output"].forEach((chunk: unknown, i) => {
    const at = `${path}.output[${i}]`;
    if (!isObject(chunk)) {
      texts.type(at, "an object", chunk);
      return;
    }
    needsText("stdout")(texts, chunk, at);
    needsText("stderr")(texts, chunk, at);
    needsObject("outcome")(texts, chunk, at);
    if (isObject(chunk["outcome"])) needsChoice("type", ["exit", "timeout"])(texts, chunk["outcome"], `${at}.outcome`);
  });
}

function screenshot(texts: OpenAiTexts, item: JsonObject, path: string): void {
  const { output } = item;
  if (!isObject(output)) return;
  needsChoice("type", ["computer_screenshot"])(texts, output, `${path}.output`);
  if (output["file_id"] === undefined) texts.imageUrl(`${path}.output.image_url`, output["image_url"]);
}
