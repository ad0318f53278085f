/**
 * The functions of this room as programs of others call them: what is no name of an API is refused, where inside it
 * would pass for one that is not known.
 */
import { assertList } from "../transcript/json/list.ts";
import { check as checkBody, heal as healBody, type BodyOptions } from "./heal.ts";
import type { WireViolation } from "./model.ts";
import { prepare as prepareMessages, type PrepareOptions } from "./prepare.ts";

/** See `check` in heal.ts. Throws a TypeError when `api` is no text. */
export function check(api: string, body: unknown, options?: BodyOptions): WireViolation[] {
  assertApi("check", api);
  return checkBody(api, body, options);
}

/** See `heal` in heal.ts. Throws a TypeError when `api` is no text. */
export function heal<T>(api: string, body: T, options?: BodyOptions): T {
  assertApi("heal", api);
  return healBody(api, body, options);
}

/** See `prepare` in prepare.ts. Throws a TypeError when `api` is no text or `messages` is no array. */
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
