import { dialectOf } from "../wire/apis.ts";
import { heal } from "../wire/heal.ts";
import { prepare } from "../wire/prepare.ts";
import { ANTHROPIC_API, withoutOwnMarks } from "./messages/anthropic-rules.ts";
import { integrityError } from "./base/errors.ts";
import type { MessageFormat } from "./base/types.ts";

/** The API of a call. */
export interface GuardOptions {
  /**
   * OpenClaw's name of the API, such as `anthropic-messages` or `openai-responses`. By default `anthropic-messages` for
   * a session in Anthropic's format, and none for one in OpenClaw's format.
   */
  api?: string;
  /** The model id, for rules that depend on the model. */
  model?: string;
}

/** Heals request bodies; passed to the function that sends the request. */
export interface WireGate {
  /**
   * Returns the request body with a valid history; the same object when it was valid, or when no API is known. For
   * programs that build the body from the messages themselves.
   */
  heal<T>(body: T): T;
}

/** Makes one request to a model with the given history. */
export type ApiCall<T> = (messages: readonly unknown[], gate: WireGate) => Promise<T>;

/** Throws an IntegrityError `bad-api` for an unknown API. */
export function assertKnownApi({ api }: GuardOptions): void {
  if (api === undefined || (typeof api === "string" && dialectOf(api))) return;
  throw integrityError("bad-api", {
    expected:
      "the name of an API, such as anthropic-messages, openai-responses, openai-completions, google-generative-ai or bedrock-converse-stream",
    found: typeof api === "string" ? JSON.stringify(api) : typeof api,
    todo: "Correct the option `api`, or leave it out. No call was made.",
  });
}

/**
 * Passes a history to the function that sends it. Messages in Anthropic's format are healed for its API; the stored
 * messages stay as they are. Messages in OpenClaw's format, from which OpenClaw's adapters build every API's body, are
 * prepared for them when the API is named.
 */
export function sendThrough<T>(
  call: ApiCall<T>,
  format: MessageFormat,
  messages: readonly unknown[],
  options: GuardOptions,
): Promise<T> {
  const { model } = options;
  const api = options.api ?? (format === "anthropic" ? ANTHROPIC_API : undefined);
  return call(healedMessages(format, messages, options), {
    heal: (body) => (api === undefined ? body : heal(api, body, model === undefined ? {} : { model })),
  });
}

function healedMessages(
  format: MessageFormat,
  messages: readonly unknown[],
  { api, model }: GuardOptions,
): readonly unknown[] {
  if (format === "anthropic")
    return heal(ANTHROPIC_API, { ...(model !== undefined && { model }), messages: withoutOwnMarks(messages) }).messages;
  return api === undefined ? messages : prepare(api, messages as unknown[]);
}
