/**
 * The public functions of this room. They throw when `api` is no string; the internal ones treat such a value as an
 * unknown API.
 */
import { isObject } from "../transcript/json/json.ts";
import { assertList, nameFound } from "../transcript/options.ts";
import { sizesBetween, type Sizes } from "../transcript/json/sizes.ts";
import { toItems } from "./foreign.ts";
import { check as checkBody, heal as healBody, type BodyOptions } from "./heal.ts";
import type { WireViolation } from "./model.ts";
import { APIS, findDialect, type Api } from "./apis.ts";
import { prepare as prepareMessages, type PrepareOptions } from "./prepare.ts";

/** A broken rule that {@link heal} has mended: the place as {@link check} names it, and what was changed there. */
export interface Healing extends Sizes {
  /** The name of the rule. */
  readonly kind: string;
  readonly path: string;
}

/** Options of {@link heal}. */
export interface HealOptions extends BodyOptions {
  /** Called once with what was healed; not called for a valid body. */
  onHealed?: (healings: Healing[]) => void;
}

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
export const WIRE_APIS: readonly Api[] = APIS;

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
export function check(api: WireApi, body: unknown, options?: BodyOptions): WireViolation[] {
  assertApi("check", api);
  return checkBody(api, body, options);
}

/**
 * Returns the body with a history that breaks no rule of the API: the same object when it was valid, otherwise a copy.
 * Messages in OpenClaw's stored form and in those of the other APIs are read too, also from the field of another API.
 * No text, call or result is dropped; content that cannot be sent in its form becomes text. Healing twice changes
 * nothing, and the same body gives the same bytes. A body that is no object is returned as it is. Throws a TypeError
 * when `api` is none of {@link WIRE_APIS}, and for a list, which is no body.
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
export function heal<T>(api: WireApi, body: T, options: HealOptions = {}): T {
  assertApi("heal", api);
  if (isList(body)) {
    const field = findDialect(api)!.field;
    throw new TypeError(
      `heal() expects the request body of ${api}, an object with its history in \`${field}\`; found a list. ` +
        `Pass the body: heal(api, { ${field}: list }), or repair the list with openclaw-integrity/transcript.`,
    );
  }
  const healed = healBody(api, body, options);
  if (healed !== body) options.onHealed?.(describeHealing(api, body, healed, options));
  return healed;
}

/** Whether a body is a list; false for a proxy that cannot be read at all. */
function isList(body: unknown): boolean {
  try {
    return Array.isArray(body);
  } catch {
    return false;
  }
}

function describeHealing(api: WireApi, body: unknown, healed: unknown, options: BodyOptions): Healing[] {
  const field = findDialect(api)!.field;
  const [given, written] = [body, healed].map((one) => toItems(isObject(one) ? one[field] : undefined));
  const sizes = sizesBetween(given!, written!);
  return checkBody(api, body, options).map(({ rule, path }) => ({
    kind: rule,
    path,
    ...sizes(Number(path.split(".", 2)[1])),
  }));
}

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
export function prepare<T>(api: WireApi, messages: T[], options?: PrepareOptions): T[] {
  assertApi("prepare", api);
  assertList("prepare", messages);
  return prepareMessages(api, messages, options);
}

function assertApi(name: string, api: unknown): void {
  if (typeof api === "string" && findDialect(api) !== undefined) return;
  const names = WIRE_APIS.join(", ");
  throw new TypeError(`${name}() expects one of OpenClaw's names of an API (${names}), found ${nameFound(api)}.`);
}
