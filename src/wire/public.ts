/**
 * The functions of this room as programs of others call them: what is no name of an API is refused, where inside it
 * would pass for one that is not known.
 */
import { assertList } from "../transcript/json/list.ts";
import { check as checkBody, heal as healBody, type BodyOptions } from "./heal.ts";
import type { WireViolation } from "./model.ts";
import { prepare as prepareMessages, type PrepareOptions } from "./prepare.ts";

/**
 * Every rule of the API that a request body breaks; an empty list for a valid body and for an API that is not known.
 * `api` is OpenClaw's name of it, such as `anthropic-messages`. Throws a TypeError when `api` is no text; no body makes
 * it throw.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { check } from "openclaw-integrity/wire";
 *
 * const body = {
 *   model: "claude-sonnet-4-5",
 *   max_tokens: 1024,
 *   messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_gone", content: "done" }] }],
 * };
 * assert.deepEqual(check("anthropic-messages", body), [
 *   { rule: "unexpected_tool_result", path: "messages.0.content.0" },
 * ]);
 * ```
 */
export function check(api: string, body: unknown, options?: BodyOptions): WireViolation[] {
  assertApi("check", api);
  return checkBody(api, body, options);
}

/**
 * The body with a history that breaks no rule of the API: the same object when it was valid, otherwise a copy. No text,
 * call or result is dropped; what cannot be sent in its form is sent as text. Healing twice changes nothing, and the
 * same body gives the same bytes. A body that is no object, or of an API that is not known, comes back as it is. Throws
 * a TypeError when `api` is no text.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { check, heal } from "openclaw-integrity/wire";
 *
 * const body = {
 *   model: "gpt-5",
 *   input: [
 *     { type: "message", role: "user", content: [{ type: "input_text", text: "List the files." }] },
 *     { type: "function_call", call_id: "call_1", name: "exec", arguments: "{}" },
 *   ],
 * };
 * assert.equal(check("openai-responses", body).length, 1);
 * const healed = heal("openai-responses", body);
 * assert.deepEqual(check("openai-responses", healed), []);
 * assert.equal(heal("openai-responses", healed), healed); // a valid body stays the same object
 * ```
 */
export function heal<T>(api: string, body: T, options?: BodyOptions): T {
  assertApi("heal", api);
  return healBody(api, body, options);
}

/**
 * OpenClaw's messages made ready for the adapter of an API, so that it neither throws on them nor drops any: blocks of
 * known types, calls and results in OpenClaw's spelling and next to each other, unique ids. A valid history comes back
 * as the same object. Throws a TypeError when `api` is no text or `messages` is no array.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { prepare } from "openclaw-integrity/wire";
 *
 * const messages: object[] = [
 *   { role: "user", content: "List the files." },
 *   { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "exec", input: { command: "ls" } }] },
 *   { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "README.md" }] },
 * ];
 * const repaired: string[] = [];
 * const prepared = prepare("anthropic-messages", messages, {
 *   onRepairs: (repairs) => repaired.push(...repairs.map(({ kind }) => kind)),
 * });
 * assert.deepEqual(
 *   prepared.map((message) => (message as { role: string }).role),
 *   ["user", "assistant", "toolResult"], // as OpenClaw's adapters read them
 * );
 * assert.deepEqual(repaired, ["foreign_block", "foreign_block"]);
 * ```
 */
export function prepare<T>(api: string, messages: T[], options?: PrepareOptions): T[] {
  assertApi("prepare", api);
  assertList("prepare", messages);
  return prepareMessages(api, messages, options);
}

function assertApi(name: string, api: unknown): void {
  if (typeof api !== "string")
    throw new TypeError(
      `${name}() expects OpenClaw's name of an API, such as "anthropic-messages", found ${api === null ? "null" : typeof api}.`,
    );
}
