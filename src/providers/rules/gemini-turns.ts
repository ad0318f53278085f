import { isObject, shown } from "../json.ts";
import type { JsonObject } from "../types.ts";
import type { Findings } from "./findings.ts";

const AFTER_USER =
  "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
const AFTER_CALL = "Please ensure that function response turn comes immediately after a function call turn.";
const EQUAL_NUMBER =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

/** Judges the order of the turns; the shape of the contents is already known to be right. */
export function geminiTurns(given: JsonObject[], signatures: boolean, found: Findings): void {
  if (signatures) signedCalls(given, found);
  const contents = joined(given);
  if (contents[0]?.["role"] === "model" && listFields(contents[0], "functionCall").length === 0) {
    found.add("contents[0]", "Please ensure that multiturn requests alternate between user and model.");
  }
  contents.forEach((content, i) => {
    const path = `contents[${i}]`;
    const calls = listFields(content, "functionCall");
    const responses = listFields(content, "functionResponse");
    if (calls.length > 0) {
      const previous = contents[i - 1];
      if (previous === undefined) found.add(path, AFTER_USER);
      if (listFields(contents[i + 1], "functionResponse").length !== calls.length) found.add(path, EQUAL_NUMBER);
    }
    if (responses.length > 0) {
      const asked = listFields(contents[i - 1], "functionCall");
      if (asked.length === 0) found.add(path, AFTER_CALL);
      else matchIds(asked, responses, path, found);
    }
  });
  const last = contents.at(-1);
  if (last?.["role"] === "model" && listFields(last, "functionCall").length === 0) {
    found.add(
      `contents[${contents.length - 1}]`,
      "Please ensure that multiturn requests end with a user role or a function response.",
    );
  }
}

/** Model contents in a row count as one (recorded). */
function joined(contents: JsonObject[]): JsonObject[] {
  const turns: JsonObject[] = [];
  for (const content of contents) {
    const last = turns.at(-1);
    if (content["role"] === "model" && last?.["role"] === "model")
      turns[turns.length - 1] = {
        ...last,
        parts: [...(last["parts"] as unknown[]), ...(content["parts"] as unknown[])],
      };
    else turns.push(content);
  }
  return turns;
}

function listParts(content: JsonObject | undefined): JsonObject[] {
  return Array.isArray(content?.["parts"]) ? content["parts"].filter(isObject) : [];
}

function listFields(content: JsonObject | undefined, field: "functionCall" | "functionResponse"): JsonObject[] {
  return listParts(content).flatMap((part) => {
    const value = part[field];
    return isObject(value) ? [value] : [];
  });
}

/**
 * Ids are optional; where both sides have them, each call is answered by its own id, once
 * (router-for-me/CLIProxyAPI#5199).
 */
function matchIds(calls: JsonObject[], responses: JsonObject[], path: string, found: Findings): void {
  if (![...calls, ...responses].every(({ id }) => id !== undefined)) return;
  const open = calls.map(({ id }) => id);
  for (const { id } of responses) {
    const at = open.indexOf(id);
    if (at >= 0) open.splice(at, 1);
    else found.add(path, "functionResponse.id does not match functionCall.id");
  }
}

/**
 * Gemini 3 wants the signature of the first call of every step of the current turn; earlier turns are not looked at.
 */
function signedCalls(contents: JsonObject[], found: Findings): void {
  const start = contents.findLastIndex(
    (content) => content["role"] !== "model" && listFields(content, "functionResponse").length === 0,
  );
  for (let i = start + 1; i < contents.length; i++) {
    const parts = listParts(contents[i]);
    const first = parts.findIndex((part) => isObject(part["functionCall"]));
    const call = parts[first]?.["functionCall"];
    if (!isObject(call) || parts[first]?.["thoughtSignature"] !== undefined) continue;
    found.add(
      `contents[${i}].parts[${first}]`,
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${shown(call["name"])}\` , position ${i + 1}.`,
    );
  }
}
