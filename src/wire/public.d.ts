import { type BodyOptions } from "./heal.ts";
import type { WireViolation } from "./model.ts";
import { type Api } from "./apis.ts";
import { type PrepareOptions } from "./prepare.ts";
/**
 * OpenClaw's name of an API whose rules are known. OpenClaw's own transports (`openclaw-…-transport`) have the rules of
 * their API.
 */
export type WireApi = Api | `openclaw-${Api}-transport`;
/**
 * The names that {@link WireApi} allows, without those of the transports.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { check, WIRE_APIS, type WireApi } from "openclaw-integrity/wire";
 *
 * const api: WireApi = "anthropic-messages";
 * assert.ok(WIRE_APIS.includes(api));
 * assert.throws(() => check("anthropic" as WireApi, {}), /anthropic-messages, openai-completions/);
 * ```
 */
export declare const WIRE_APIS: readonly Api[];
/**
 * Returns every rule of the API that a request body breaks; an empty list for a valid body. Throws a TypeError, which
 * lists the names, when `api` is none of {@link WIRE_APIS}; no body makes it throw.
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
export declare function check(api: WireApi, body: unknown, options?: BodyOptions): WireViolation[];
/**
 * Returns the body with a history that breaks no rule of the API: the same object when it was valid, otherwise a copy.
 * Messages in OpenClaw's stored form and in those of the other APIs are read too, also from the field of another API.
 * No text, call or result is dropped; content that cannot be sent in its form becomes text. Healing twice changes
 * nothing, and the same body gives the same bytes. A body that is no object is returned as it is. Throws a TypeError
 * when `api` is none of {@link WIRE_APIS}.
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
export declare function heal<T>(api: WireApi, body: T, options?: BodyOptions): T;
/**
 * Prepares OpenClaw's messages for the adapter of an API, so that the adapter neither throws on them nor drops any:
 * blocks of known types, calls and results in OpenClaw's spelling and next to each other, unique ids. A valid history
 * is returned as the same object. Throws a TypeError when `api` is none of {@link WIRE_APIS} or
 * `messages` is no array.
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
export declare function prepare<T>(api: WireApi, messages: T[], options?: PrepareOptions): T[];
