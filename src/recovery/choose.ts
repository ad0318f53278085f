import { isObject } from "../transcript/json/json.ts";
import { originOf } from "../transcript/origin.ts";
import type { ProviderFailure } from "./failure.ts";
import { imageKeyOf, imageKeysIn } from "./images.ts";
import { haveInCommon, marksOf } from "./locate.ts";
import { latestTime } from "./times.ts";
import { idsOf, treat, type Treatment } from "./treatment.ts";

export type HistoryFailure = Extract<ProviderFailure, { kind: "history" }>;

/** A refused request. */
export interface Refused {
  failure: HistoryFailure;
  /** The messages that were passed to the adapter. */
  messages: readonly unknown[];
  /** The history in the body, in the API's form; the error's index refers to this list. */
  sent: readonly unknown[];
  /** Which treatments may be used; all where it is missing. */
  allows?: (treatment: Treatment) => boolean;
}

/**
 * Chooses the treatment of the first rung: for the place that the error names, or for the kind of problem where it
 * names none. Undefined when no such treatment would change the history. Deterministic.
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
    case "media":
    // A server that says nothing, or nothing known, refuses pictures more often than any other part.
    case "unspecified":
      return [{ kind: "without_media", ofRoute: true }, ...named, { kind: "one_call_each" }];
    case "image":
      return [...imagesAtFault(refused), { kind: "without_media", until: latestTime(refused.messages) }, ...named];
    case "too_many_images": {
      const earlier = latestTime(refused.messages.slice(0, newestFrom(refused.messages)));
      return [
        ...(earlier === undefined ? [] : [{ kind: "without_media", until: earlier } as const]),
        { kind: "without_media", until: latestTime(refused.messages) },
      ];
    }
    default:
      return [...named, { kind: "one_call_each" }];
  }
}

/**
 * Returns the treatment of the images at the place that the error names; where it names none, of those since the last
 * answer, which came after a request with all earlier ones. None where there are no such images.
 */
function imagesAtFault({ failure, messages, sent }: Refused): Treatment[] {
  const isNamed = failure.message !== undefined;
  const named = imageKeysIn(placeIn(sent, failure));
  const images = new Set<string>();
  for (const message of isNamed ? messages : messages.slice(newestFrom(messages)))
    for (const block of isObject(message) && Array.isArray(message.content) ? (message.content as unknown[]) : []) {
      const key = imageKeyOf(block);
      if (key !== undefined && (!isNamed || named.has(key))) images.add(key);
    }
  return images.size > 0 ? [{ kind: "without_media", images: [...images] }] : [];
}

/** Returns the index behind the last answer of a model. */
function newestFrom(messages: readonly unknown[]): number {
  return (
    messages.findLastIndex(
      (message) =>
        isObject(message) &&
        message.role === "assistant" &&
        message.stopReason !== "error" &&
        message.stopReason !== "aborted" &&
        originOf(message).notice === undefined,
    ) + 1
  );
}

/** Returns the block that the error names, or the message where it names no block. */
function placeIn(sent: readonly unknown[], { message, block }: HistoryFailure): unknown {
  const place = message === undefined ? undefined : sent[message];
  return (block === undefined ? undefined : partOf(place, block)) ?? place;
}

/** Returns the ids, in OpenClaw's form, of the calls and results that the error is about. */
function idsAtFault({ failure, messages, sent }: Refused): string[] {
  const clue = marksOf(placeIn(sent, failure) ?? []);
  for (const id of failure.ids) clue.ids.add(id);
  if (clue.ids.size === 0 && clue.words.size === 0) return [];
  const ids = messages.filter((message) => haveInCommon(marksOf(message), clue)).flatMap(idsOf);
  const exact = ids.filter((id) => id.split("|").some((part) => clue.ids.has(part)));
  return withSiblings(messages, new Set(exact.length > 0 ? exact : ids));
}

/**
 * Adds the ids of all calls in the same messages. The results of one message follow it together: if only some became
 * text, the text would come between a call and its result.
 */
function withSiblings(messages: readonly unknown[], ids: Set<string>): string[] {
  for (const message of messages) {
    const own = isObject(message) && message.role === "assistant" ? idsOf(message) : [];
    if (own.some((id) => ids.has(id))) for (const id of own) ids.add(id);
  }
  return [...ids];
}

/** Returns block, part or call number `index` of a message in any API's form. */
function partOf(message: unknown, index: number): unknown {
  if (!isObject(message)) return undefined;
  const list = [message.content, message.parts, message.tool_calls].find(Array.isArray) as unknown[] | undefined;
  return list?.[index];
}
