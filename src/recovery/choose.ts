import { isObject } from "../transcript/json/json.ts";
import type { ProviderFailure } from "./failure.ts";
import { haveInCommon, marksOf } from "./locate.ts";
import { idsOf, treat, type Treatment } from "./treatment.ts";

export type HistoryFailure = Extract<ProviderFailure, { kind: "history" }>;

/** What was refused. */
export interface Refused {
  failure: HistoryFailure;
  /** The messages that the adapter was given. */
  messages: readonly unknown[];
  /** The history as it stood in the body, in the API's form; what the error's index counts. */
  sent: readonly unknown[];
  /** Which treatments there are for these messages; all where it is missing. */
  allows?: (treatment: Treatment) => boolean;
}

/**
 * Rung 2: what to do about the very place that the provider names, or about the kind of fault where it names none.
 * Undefined when nothing of the kind would change the history. Deterministic. Issue 4.
 */
export function chooseTreatment(refused: Refused): Treatment | undefined {
  const { allows = () => true } = refused;
  return candidates(refused)
    .filter(allows)
    .find((treatment) =>
      treat([...refused.messages], treatment).some((message, at) => message !== refused.messages[at]),
    );
}

function candidates(refused: Refused): Treatment[] {
  const { problem } = refused.failure;
  const ids = idsAtFault(refused);
  const named: Treatment[] = ids.length > 0 ? [{ kind: "calls_as_text", ids }] : [];
  switch (problem) {
    case "role_order":
      return [{ kind: "strict_roles" }, ...named, { kind: "one_call_each" }];
    case "thinking":
      return [
        ...(ids.length > 0 ? [{ kind: "without_thinking", ids } as const] : []),
        { kind: "without_thinking" },
        ...named,
      ];
    case "image":
      return [{ kind: "without_media" }, ...named];
    default:
      return [...named, { kind: "one_call_each" }];
  }
}

/** Ids, as OpenClaw has them, of the calls and results that the error is about. */
function idsAtFault({ failure, messages, sent }: Refused): string[] {
  const place = failure.message === undefined ? undefined : sent[failure.message];
  const block = failure.block === undefined ? undefined : partOf(place, failure.block);
  const clue = marksOf(block ?? place ?? []);
  for (const id of failure.ids) clue.ids.add(id);
  if (clue.ids.size === 0 && clue.words.size === 0) return [];
  const ids = messages.filter((message) => haveInCommon(marksOf(message), clue)).flatMap(idsOf);
  const exact = ids.filter((id) => id.split("|").some((part) => clue.ids.has(part)));
  return withSiblings(messages, new Set(exact.length > 0 ? exact : ids));
}

/**
 * Calls of one message are answered by one turn of results: as text they go together, or the text would stand between
 * call and result.
 */
function withSiblings(messages: readonly unknown[], ids: Set<string>): string[] {
  for (const message of messages) {
    const own = isObject(message) && message.role === "assistant" ? idsOf(message) : [];
    if (own.some((id) => ids.has(id))) for (const id of own) ids.add(id);
  }
  return [...ids];
}

/** Block, part or call number `index` of a message in any API's form. */
function partOf(message: unknown, index: number): unknown {
  if (!isObject(message)) return undefined;
  const list = [message.content, message.parts, message.tool_calls].find(Array.isArray) as unknown[] | undefined;
  return list?.[index];
}
