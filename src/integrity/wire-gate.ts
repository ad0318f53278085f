import { isObject } from "../transcript/json/json.ts";
import { addAll } from "../transcript/json/list.ts";
import { APIS, findDialect, historyField } from "../wire/apis.ts";
import { heal } from "../wire/heal.ts";
import type { WireApi } from "../wire/public.ts";
import { prepare } from "../wire/prepare.ts";
import type { RouteFact } from "../recovery/route-fact.ts";
import { shapeBody } from "../recovery/routes/body.ts";
import { ANTHROPIC_API, withoutOwnMarks } from "./messages/anthropic-rules.ts";
import { describeKind } from "./base/bad-input.ts";
import { inAnthropicForm } from "./messages/anthropic-form.ts";
import { toGoogleContent } from "./messages/google-form.ts";
import { toResponsesItems } from "./messages/responses-form.ts";
import { integrityError } from "./base/errors.ts";
import type { MessageFormat } from "./base/types.ts";

/** The API of a call. */
export interface GuardOptions {
  /**
   * OpenClaw's name of the API, such as `anthropic-messages` or `openai-responses`. By default `anthropic-messages` for
   * a session in Anthropic's format, and none for one in OpenClaw's format.
   */
  api?: WireApi | undefined;
  /** The model id, for rules that depend on the model. */
  model?: string | undefined;
}

/** Heals request bodies; passed to the function that sends the request. */
export interface WireGate {
  /**
   * Returns the request body with a valid history in the API's own form; the same object when it was valid, or when no
   * API is known. The messages that `send` received may stand in the body as they are (in `messages`, `input` or
   * `contents`), beside messages of the API's own form.
   */
  heal<T>(body: T): T;
}

/**
 * Makes one request to a model with the given history. The messages have the type that the client's own request asks
 * for, or `Sent`, the type that the function declares for them: `(messages: MessageParam[]) => …`. The list is
 * the caller's to read, not to change.
 */
export type ApiCall<T, Sent = never> = (messages: Sent[], gate: WireGate) => Promise<T>;

/** A request to a route of which something is known. */
export interface RequestMade {
  /** What the route does not take. */
  readonly facts: readonly RouteFact[];
  /** The body that was sent, for which {@link WireGate.heal} was called. */
  body?: unknown;
}

/** Throws an IntegrityError `bad-api` for an unknown API. */
export function assertKnownApi({ api }: { api?: unknown }): void {
  if (api === undefined || (typeof api === "string" && findDialect(api))) return;
  throw integrityError("bad-api", {
    expected: `the name of an API: ${APIS.join(", ")}`,
    found: describeKind(api),
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
  made: RequestMade = { facts: [] },
): Promise<T> {
  const { model } = options;
  const api = options.api ?? (format === "anthropic" ? ANTHROPIC_API : undefined);
  const sent = healedMessages(format, messages, options);
  const neverPrefills = made.facts.some(({ what }) => what === "no_trailing_assistant");
  return call(sent as never[], {
    heal: (body) => {
      if (api === undefined) return body;
      const about = { ...(model !== undefined && { model }), neverPrefills };
      const healed = heal(api, inApiForm(api, body, sent), about);
      // Text in the place of a block can break a rule of places.
      made.body = isObject(healed) ? heal(api, shapeBody(healed, made.facts), about) : healed;
      return made.body as typeof body;
    },
  });
}

/**
 * Returns a body in which the session's own messages have a form that `heal` reads for the API. Returns the same body
 * when it has none of them.
 */
function inApiForm<T>(api: WireApi, body: T, sent: readonly unknown[]): T {
  const field = historyField(api);
  const history = isObject(body) && field !== undefined ? body[field] : undefined;
  if (!Array.isArray(history)) return body;
  const sentMessages = new Set(sent);
  const listed = history as unknown[];
  if (!listed.some((message) => sentMessages.has(message))) return body;
  // One call for each run of own messages: results of one turn become one message, and a system prompt stays as it is.
  const formed: unknown[] = [];
  for (let at = 0; at < listed.length;) {
    let end = at;
    while (end < listed.length && sentMessages.has(listed[end])) end++;
    addAll(formed, end > at ? inFormFor(field, listed.slice(at, end)) : [listed[at]]);
    at = Math.max(end, at + 1);
  }
  const isSame = formed.length === listed.length && formed.every((message, at) => message === listed[at]);
  return isSame ? body : ({ ...body, [field!]: formed } as T);
}

/**
 * Returns messages of the session in a form that `heal` reads: in Anthropic's, but assistant messages of OpenClaw's
 * format in the form of Responses and of Gemini, where these ask for what Anthropic's form has no place for.
 */
function inFormFor(field: string | undefined, messages: readonly unknown[]): readonly unknown[] {
  if (field === "contents") return messages.map((message) => toGoogleContent(message) ?? message);
  if (field !== "input") return inAnthropicForm(messages);
  const formed: unknown[] = [];
  let begin = 0;
  messages.forEach((message, at) => {
    const items = toResponsesItems(message);
    if (!items) return;
    addAll(formed, inAnthropicForm(messages.slice(begin, at)));
    addAll(formed, items);
    begin = at + 1;
  });
  return begin === 0 ? inAnthropicForm(messages) : [...formed, ...inAnthropicForm(messages.slice(begin))];
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
