/** Chooses the treatment of the first rung: what fits the place, or else the kind of problem, that a refusal names. */
import { isObject, toJson } from "../transcript/json/json.ts";
import { readOrigin } from "../transcript/origin.ts";
import type { ProviderFailure } from "./failure.ts";
import { blocksWithin } from "./forms/blocks.ts";
import { imageKey, imageKeysIn, isPicture } from "./forms/images.ts";
import { haveInCommon, collectMarks } from "./errors/locate.ts";
import { latestTime } from "./forms/times.ts";
import { listMessageIds, type Treatment } from "./forms/treatment.ts";
import { countPictures } from "./forms/fewer-pictures.ts";
import { longestSide, pictureData } from "./forms/picture-size.ts";
import { against, changesRequest } from "./routes/lesson.ts";
import type { RouteFact } from "./route-fact.ts";
import { ofRoute } from "./routes/shape.ts";

export type HistoryFailure = Extract<ProviderFailure, { kind: "history" }>;

/** A refused request. */
export interface Refused {
  failure: HistoryFailure;
  /** The messages that were passed to the adapter. */
  messages: readonly unknown[];
  /** The history in the body, in the API's form; the error's index refers to this list. */
  sent: readonly unknown[];
  /** The whole body, where it is known. */
  body?: unknown;
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
    .find((treatment) => changesRequest(treatment, refused));
}

function candidates(refused: Refused): Treatment[] {
  const { problem } = refused.failure;
  const ids = idsAtFault(refused);
  const named: Treatment[] = ids.length > 0 ? [{ kind: "calls_as_text", ids }] : [];
  const known = ofRoute([{ what: "no_new_types" }]);
  switch (problem) {
    case "role_order":
      return [
        // The name of the role costs nothing; whether it was the reason shows in no other way.
        ...(against([{ what: "no_developer_role" }], refused).length > 0
          ? [ofRoute(against([{ what: "no_developer_role" }, { what: "strict_roles" }], refused))]
          : []),
        { kind: "strict_roles" },
        ...named,
        // A template that knows no system prompt counts it among the roles.
        ofRoute([{ what: "no_system_role" }]),
        { kind: "one_call_each" },
      ];
    case "thinking":
      // OpenClaw 2026.9 has sent it without by itself.
      if (!mayHoldThinking(refused)) return named;
      return [
        ...(ids.length > 0 ? [{ kind: "without_thinking", ids } as const] : []),
        { kind: "without_thinking" },
        ...named,
      ];
    case "unspecified":
      return [
        // A server that says nothing, or nothing known, refuses pictures more often than any other part.
        ofRoute(against([{ what: "no_developer_role" }, { what: "no_new_types" }, { what: "no_pictures" }], refused)),
        ...named,
      ];
    case "media":
      return [ofRoute([{ what: "no_pictures" }]), ...named];
    case "image":
      return [...imagesAtFault(refused), { kind: "without_media", until: latestTime(refused.messages) }, ...named];
    case "too_many_images": {
      const count = countPictures(refused.messages);
      const said = refused.failure.teaches?.find((fact) => fact.what === "most_pictures")?.most ?? count;
      // Where no number is named, or it is not that of the pictures alone, half of them are tried.
      const most = said < count ? said : Math.floor(count / 2);
      return [
        ...(most > 0 ? [ofRoute([{ what: "most_pictures", most }]), oldestPictures(refused, count - most)] : []),
        { kind: "without_media", until: latestTime(refused.messages) },
      ];
    }
    case "tool_pairing":
    case "tool_id":
      return [...named, { kind: "one_call_each" }];
    default:
      return [known, ...named];
  }
}

const THINKING = /"(?:redacted_)?thinking"|"reasoning|thought/i;

/** False where the body that was refused last has no thinking of any API in it. */
function mayHoldThinking({ sent }: Refused): boolean {
  return sent.length === 0 || THINKING.test(toJson(sent));
}

/**
 * Returns the treatment of the images at the place that the error names; where it names none, of those since the last
 * answer, which came after a request with all earlier ones. None where there are no such images.
 */
function imagesAtFault({ failure, messages, sent }: Refused): Treatment[] {
  const isNamed = failure.message !== undefined;
  const named = imageKeysIn(placeIn(sent, failure));
  const images = new Map<string, string>();
  for (const message of isNamed ? messages : messages.slice(behindLastAnswer(messages)))
    for (const block of blocksWithin(message)) {
      const key = imageKey(block);
      if (key !== undefined && (!isNamed || named.has(key))) images.set(key, pictureData(block) ?? "");
    }
  if (images.size === 0) return [];
  const tooLarge = failure.isTooLarge === true ? [ofRoute([sizeAtFault(failure, [...images.values()])])] : [];
  return [...tooLarge, { kind: "without_media", images: [...images.keys()] }];
}

/** Leaves out the oldest pictures, by what they are: a caller that can store nothing but the history stores that. */
function oldestPictures({ messages }: Refused, count: number): Treatment {
  const images: string[] = [];
  for (const message of messages)
    for (const block of blocksWithin(message)) {
      const key = isPicture(block) ? imageKey(block) : undefined;
      if (key !== undefined) images.push(key);
    }
  const newest = new Set(images.slice(count));
  return { kind: "without_media", images: images.slice(0, count).filter((key) => !newest.has(key)) };
}

/** Returns which size a route does not take that has refused the largest of these pictures for its size. */
function sizeAtFault({ teaches = [] }: HistoryFailure, pictures: readonly string[]): RouteFact {
  const longest = pictures.reduce((most, data) => Math.max(most, longestSide(data) ?? 0), 0);
  for (const fact of teaches)
    if ((fact.what === "longest_side" || fact.what === "longest_side_of_many") && longest > 0)
      // A proxy has measured the picture otherwise, or names the limit of another model.
      return { ...fact, pixels: Math.min(fact.pixels, longest - 1) };
  const bytes = pictures.reduce((most, data) => Math.max(most, data.length), 1) - 1;
  return { what: "largest_picture", bytes };
}

/** Returns the index behind the last answer of a model. */
function behindLastAnswer(messages: readonly unknown[]): number {
  return (
    messages.findLastIndex(
      (message) =>
        isObject(message) &&
        message.role === "assistant" &&
        message.stopReason !== "error" &&
        message.stopReason !== "aborted" &&
        readOrigin(message).notice === undefined,
    ) + 1
  );
}

/** Returns the block that the error names, or the message where it names no block. */
function placeIn(sent: readonly unknown[], { message, block }: HistoryFailure): unknown {
  const place = message === undefined ? undefined : sent[message];
  return (block === undefined ? undefined : findPart(place, block)) ?? place;
}

/** Returns the ids, in OpenClaw's form, of the calls and results that the error is about. */
function idsAtFault({ failure, messages, sent }: Refused): string[] {
  const clue = collectMarks(placeIn(sent, failure) ?? []);
  for (const id of failure.ids) clue.ids.add(id);
  if (clue.ids.size === 0 && clue.words.size === 0) return [];
  const ids = messages.filter((message) => haveInCommon(collectMarks(message), clue)).flatMap(listMessageIds);
  const exact = ids.filter((id) => id.split("|").some((part) => clue.ids.has(part)));
  return withSiblings(messages, new Set(exact.length > 0 ? exact : ids));
}

/**
 * Adds the ids of all calls in the same messages. The results of one message follow it together: if only some became
 * text, the text would come between a call and its result.
 */
function withSiblings(messages: readonly unknown[], ids: Set<string>): string[] {
  for (const message of messages) {
    const messageIds = isObject(message) && message.role === "assistant" ? listMessageIds(message) : [];
    if (messageIds.some((id) => ids.has(id))) for (const id of messageIds) ids.add(id);
  }
  return [...ids];
}

/** Returns block, part or call number `index` of a message in any API's form. */
function findPart(message: unknown, index: number): unknown {
  if (!isObject(message)) return undefined;
  const list = [message.content, message.parts, message.tool_calls].find(Array.isArray) as unknown[] | undefined;
  return list?.[index];
}
