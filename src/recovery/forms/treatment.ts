import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import { isResultBlock, isResultRole, readResult } from "../../transcript/read.ts";
import { asText, isThought, withoutSignature } from "./as-text.ts";
import { listCalls, oneCallEach } from "./calls.ts";
import { changeBlocks } from "./blocks.ts";
import { imageKey, isPictureOrFile } from "./images.ts";
import { asLastWords, asOneMessage } from "./one-message.ts";
import { partsAsText, withoutParts } from "./parts.ts";
import { findTreatedEnd, isLater } from "./times.ts";
import { alternate, withOpening } from "./alternation.ts";
import { NOTHING_SAID, REFUSED_MEDIA } from "../words.ts";
import type { RouteFact } from "../route-fact.ts";
import { fewerPictures, type PictureLimits, withoutDocuments } from "./fewer-pictures.ts";

/**
 * A change of a history that a provider refused although it broke no known rule. Data, so that it can be applied again
 * to the same history, in later requests and in the store.
 */
export type Treatment = Change & {
  /** The treatment applies to the messages up to this time (milliseconds since 1970): no later one was refused. */
  upTo?: number | undefined;
};

type Change =
  /** Turns these calls and their results into text. */
  | { kind: "calls_as_text"; ids: readonly string[] }
  /**
   * Turns all tool traffic into text, with user and assistant in alternation. Without `keepMedia` images and files too,
   * as far as `until` says.
   */
  | { kind: "flat"; keepMedia: boolean; until?: number | undefined }
  /**
   * Removes thinking, and the signatures of texts: from the messages with these call ids, or from all messages before
   * the last user message.
   */
  | { kind: "without_thinking"; ids?: readonly string[] }
  /**
   * Replaces images and files by text, those in a tool's result too: those with these keys, or those of messages up to
   * `until` (milliseconds since 1970). No provider has refused another or a later one.
   */
  | { kind: "without_media"; images: readonly string[] }
  | { kind: "without_media"; images?: undefined; until?: number | undefined }
  | { kind: "fewer_pictures"; limits: PictureLimits }
  | { kind: "without_documents" }
  /**
   * The form in which a route takes a history, as `facts` say: `forms` are what they mean for the messages; the rest is
   * done to the body. Not stored, and not sent to another route.
   */
  | { kind: "of_route"; facts: readonly RouteFact[]; forms: readonly Treatment[] }
  | { kind: "one_call_each" }
  /**
   * Turns the messages with these keys (of `partKey`) into text, or leaves them or pieces of them out: the part of a
   * history that a route was seen to refuse. Not stored, and not sent to another route.
   */
  | { kind: "part"; keys: readonly string[]; as: "words" | "nothing" }
  | { kind: "strict_roles" }
  /**
   * Turns the history before the newest message into text in one user message: no rule on roles or blocks can apply.
   */
  | { kind: "one_message" }
  /**
   * Leaves nothing but the newest question and what came since, in words: an experiment, which shows whether a provider
   * refuses the history or every request. With `withEnd` also the end of the conversation before it. Never stored.
   */
  | { kind: "last_words"; withEnd?: boolean };

/**
 * Applies a treatment to a history from `prepare`; returns the same list when it changes nothing. Deterministic and
 * idempotent; no text, call or result is lost, but by `last_words` and by a `part` that is left out.
 */
export function treat<T>(messages: T[], treatment: Treatment): T[] {
  return treatFirst(messages, findTreatedEnd(messages, treatment.upTo), treatment);
}

/** Applies a treatment to the first `end` messages; returns the same list when it changes nothing. */
function treatFirst<T>(messages: T[], end: number, treatment: Treatment): T[] {
  if (end >= messages.length) return treatWhole(messages, treatment);
  const beginning = messages.slice(0, end);
  const treated = treatWhole(beginning, treatment);
  return treated === beginning ? messages : treated.concat(messages.slice(end));
}

function treatWhole<T>(messages: T[], treatment: Treatment): T[] {
  switch (treatment.kind) {
    case "one_call_each":
      return oneCallEach(messages);
    case "strict_roles":
      return withOpening(alternate(messages));
    case "part":
      return treatment.as === "words"
        ? partsAsText(messages, new Set(treatment.keys))
        : withoutParts(messages, new Set(treatment.keys));
    case "one_message":
      return asOneMessage(messages) as T[];
    case "last_words":
      return asLastWords(messages, treatment.withEnd === true) as T[];
    case "fewer_pictures":
      return fewerPictures(messages, treatment.limits);
    case "without_documents":
      return withoutDocuments(messages);
    case "of_route":
      return treatment.forms.reduce<T[]>((list, form) => treat(list, form), messages);
    case "flat":
      return alternate(mapChanged(messages, (message) => treatMessage(message, treatment) as T));
    case "without_thinking": {
      const end = treatment.ids
        ? messages.length
        : messages.findLastIndex((message) => isObject(message) && message.role === "user");
      const before = new Set(messages.slice(0, Math.max(end, 0)));
      return mapChanged(messages, (message) =>
        before.has(message) ? (treatMessage(message, treatment) as T) : message,
      );
    }
    default:
      return mapChanged(messages, (message) => treatMessage(message, treatment) as T);
  }
}

const STORABLE: ReadonlySet<Treatment["kind"]> = new Set([
  "calls_as_text",
  "flat",
  "without_thinking",
  "without_media",
]);

/** True when the treatment works message by message, so that it can be stored the same way. */
export function isStorable(treatment: Treatment): boolean {
  return STORABLE.has(treatment.kind);
}

/**
 * True when pictures and files are left out that no refusal has named: no text can say them again, and another route
 * may take them.
 */
export function leavesMediaOut(treatment: Treatment): boolean {
  switch (treatment.kind) {
    case "without_media":
      return treatment.images === undefined;
    case "flat":
      return !treatment.keepMedia;
    default:
      return treatment.kind === "one_message";
  }
}

/** Applies treatments that are all {@link isStorable}, message by message: each one stays at its place. */
export function treatEach(messages: readonly unknown[], treatments: readonly Treatment[]): unknown[] {
  return treatments.reduce<unknown[]>((list, treatment) => {
    const end = findTreatedEnd(list, treatment.upTo);
    return list.map((message, at) => (at < end ? treatMessage(message, treatment) : message));
  }, messages.slice());
}

/** Applies a treatment that {@link isStorable} to one message; returns the same object when nothing changes. */
export function treatMessage(message: unknown, treatment: Treatment): unknown {
  switch (treatment.kind) {
    case "calls_as_text": {
      const ids = toIdSet(treatment.ids);
      return asText(message, { isChosen: (id) => hasId(ids, id) });
    }
    case "flat":
      return asText(message, { keepMedia: treatment.keepMedia || isLater(message, treatment.until) });
    case "without_thinking":
      return withoutThinking(message, treatment.ids);
    case "without_media":
      return withoutMedia(message, treatment);
    default:
      return message;
  }
}

/** The ids, or keys of images, of each treatment as a set, made once for all messages. */
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

function toIdSet(ids: readonly string[]): ReadonlySet<string> {
  const set = sets.get(ids) ?? new Set([...ids, ...ids.map(bare)]);
  sets.set(ids, set);
  return set;
}

/**
 * True when the id, or a part of it, is one of `ids`: the same call can be `call_1` or, for Responses, `call_1|fc_1`,
 * or `call1` for Anthropic's API from 2026.3 to 2026.4.2, while it is stored as `call_1`.
 */
function hasId(ids: ReadonlySet<string>, id: unknown): boolean {
  if (typeof id !== "string") return false;
  return ids.has(id) || id.split("|").some((part) => ids.has(part) || (bare(part) !== "" && ids.has(bare(part))));
}

/** The letters and digits of an id. */
function bare(id: string): string {
  return id.replaceAll(/[^a-z\d]+/gi, "");
}

function withoutThinking(message: unknown, ids: readonly string[] | undefined): unknown {
  if (!isObject(message) || message.role !== "assistant" || !Array.isArray(message.content)) return message;
  const chosen = ids && toIdSet(ids);
  if (chosen && !listCalls(message).some(({ id }) => hasId(chosen, id))) return message;
  const blocks = message.content as unknown[];
  const content = mapChanged(blocks, withoutSignature).filter((block) => !isThought(block));
  if (content.length === blocks.length && content.every((block, at) => block === blocks[at])) return message;
  return { ...message, content: content.length > 0 ? content : [{ type: "text", text: NOTHING_SAID }] };
}

function withoutMedia(message: unknown, treatment: Extract<Treatment, { kind: "without_media" }>): unknown {
  if (!treatment.images)
    return isLater(message, treatment.until) ? message : replaceBlocks(message, isPictureOrFile, REFUSED_MEDIA);
  const images = toIdSet(treatment.images);
  return replaceBlocks(message, (block) => images.has(imageKey(block) ?? ""), REFUSED_MEDIA);
}

function replaceBlocks(message: unknown, isTaken: (block: unknown) => boolean, text: string): unknown {
  return changeBlocks(message, (block) => (isTaken(block) ? { type: "text", text } : block));
}

/** Returns the ids of all calls and results of a message. */
export function listMessageIds(message: unknown): string[] {
  if (!isObject(message)) return [];
  const results: JsonObject[] = isResultRole(message.role)
    ? [message]
    : Array.isArray(message.content)
      ? (message.content as unknown[]).filter(isResultBlock)
      : [];
  return [...listCalls(message).map(({ id }) => id), ...results.map((result) => readResult(result).id)].filter(
    (id) => typeof id === "string",
  );
}
