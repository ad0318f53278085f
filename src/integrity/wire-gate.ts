import { dialectOf } from "../wire/apis.ts";
import { heal } from "../wire/heal.ts";
import { prepare } from "../wire/prepare.ts";
import { ANTHROPIC_API, withoutOwnMarks } from "./messages/anthropic-rules.ts";
import { integrityError } from "./base/errors.ts";
import type { MessageFormat } from "./base/types.ts";

/** Which API a call goes to. */
export interface GuardOptions {
  /**
   * OpenClaw's name of the API, such as `anthropic-messages` or `openai-responses`. By default `anthropic-messages` for
   * a session in Anthropic's format, and none for one in OpenClaw's.
   */
  api?: string;
  /** The model's id, for rules that go by it. */
  model?: string;
}

/** The last look at a request, given to the function that sends it. */
export interface WireGate {
  /**
   * The request body with a history that breaks no rule of the API; the very same object when nothing was wrong, or
   * when no API is known. For a program that makes the body of its messages itself.
   */
  heal<T>(body: T): T;
}

/** Makes one request to a model with the history that it is given. */
export type ApiCall<T> = (messages: readonly unknown[], gate: WireGate) => Promise<T>;

/** Throws an IntegrityError `bad-api` for an API that is not known here. */
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
 * Hands a history on to the function that sends it. Messages of Anthropic's format are sent as they are given, and so
 * they break no rule of its API: where the stored ones do, the function gets others, and the store keeps what it has.
 * OpenClaw's are in OpenClaw's own form, from which its adapters make every API's body; they are made ready for that
 * where the API is named.
 */
export function sendThrough<T>(
  call: ApiCall<T>,
  format: MessageFormat,
  messages: readonly unknown[],
  options: GuardOptions,
): Promise<T> {
  const { model } = options;
  const api = options.api ?? (format === "anthropic" ? ANTHROPIC_API : undefined);
  return call(handedOn(format, messages, options), {
    heal: (body) => (api === undefined ? body : heal(api, body, model === undefined ? {} : { model })),
  });
}

function handedOn(
  format: MessageFormat,
  messages: readonly unknown[],
  { api, model }: GuardOptions,
): readonly unknown[] {
  if (format === "anthropic")
    return heal(ANTHROPIC_API, { ...(model !== undefined && { model }), messages: withoutOwnMarks(messages) }).messages;
  return api === undefined ? messages : prepare(api, messages as unknown[]);
}
