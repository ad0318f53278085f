import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { logFailure } from "../base/log.ts";
import type { WaitingHere } from "../base/memory.ts";
import { isEnabled } from "../base/switch.ts";
import { isOccasion } from "../openclaw/session.ts";
import { whenSessionIsFree } from "./first-session.ts";
import { acknowledgedHere, inboxName, noteWaiting, settleDead, settleWaiting } from "./waiting.ts";

/** A message that begins so is a command; OpenClaw answers it, or reads it as settings. */
const COMMAND = /^\s*[/!]/;
/** A message that begins a conversation anew: what was accepted before it belongs to the one that was left. */
const RESET = /^\s*\/(new|reset)\b/i;
/**
 * A dispatcher has it whose message OpenClaw drops, as a run is there that a stop has not ended yet; a patched line
 * sets it.
 */
const DROPPED = Symbol.for("openclaw-integrity.dropped");
/** OpenClaw takes settings out of a text. */
const SETTING = /\s\/[a-z]/i;

/**
 * Journals a message that OpenClaw's gateway is about to acknowledge, or that a channel has acknowledged, until
 * OpenClaw is done with it. OpenClaw has it in memory alone, until a model is asked or a row is made of it: it is lost
 * when the process is killed, by a stop in that moment, and behind such a stop. `params` are those of OpenClaw's
 * dispatch; at the acknowledgement they have no dispatcher yet. Resolves when the dispatch may begin, where OpenClaw
 * has no `ticket` by which the messages of a conversation are in order. Never throws.
 */
export async function noteAccepted(params: unknown, ticket?: unknown): Promise<void> {
  if (!isEnabled() || !isObject(params)) return;
  try {
    const { ctx, dispatcher } = params;
    if (!isObject(ctx)) return;
    const { SessionKey: key, Provider: provider, CommandSource: source } = ctx;
    if (typeof key !== "string" || isIncognito(key) || source === "native") return;
    if (isOccasion({ messageProvider: String(provider) })) return;
    const inbox = inboxName(key);
    if (!isObject(dispatcher)) {
      journalAccepted(inbox, ctx, params);
      return;
    }
    const { getQueuedCounts } = dispatcher;
    if (typeof getQueuedCounts !== "function") return;
    const onCounts = journalAccepted(inbox, ctx, params);
    let onEnd: (() => void) | undefined;
    // OpenClaw counts the replies on every way out.
    dispatcher.getQueuedCounts = function (this: unknown, ...given: unknown[]): unknown {
      onCounts?.(this);
      onEnd?.();
      return Reflect.apply(getQueuedCounts, this, given);
    };
    if (ticket === undefined) onEnd = await whenSessionIsFree(inbox);
  } catch (error) {
    logFailure("queue", error, "the message is lost when OpenClaw is killed");
  }
}

/**
 * Returns what is to be done when OpenClaw counts the replies: a stop leaves the message for the next load, which finds
 * out.
 */
function journalAccepted(
  inbox: string,
  ctx: JsonObject,
  { dispatcher, replyOptions }: JsonObject,
): ((counting: unknown) => void) | undefined {
  const options = isObject(replyOptions) ? replyOptions : {};
  const { runId, abortSignal } = options;
  const acknowledged = acknowledgedHere(inbox, runId);
  const text = readText(ctx);
  const command = readCommand(ctx);
  if (RESET.test(command)) settleDead(inbox);
  if (text === undefined || COMMAND.test(command)) {
    if (acknowledged !== undefined) settleWaiting(inbox, acknowledged);
    return undefined;
  }
  const media = mediaNotes(ctx);
  const here = { isReworded: media.length > 0 || SETTING.test(text), sentAs: chatName(ctx) };
  if (here.sentAs !== undefined) settleDead(inbox, here.sentAs);
  const message = toMessage([text, ...media].join("\n"), ctx, options);
  if (!isObject(dispatcher)) {
    if (typeof runId === "string") noteWaiting(inbox, message, { ...here, runId, fate: () => "waiting" });
    return undefined;
  }
  const isDropped = (): boolean => Reflect.get(dispatcher, DROPPED) === true;
  const isStopped = (): boolean => abortSignal instanceof AbortSignal && abortSignal.aborted;
  const fate = (): ReturnType<WaitingHere["fate"]> =>
    isStopped() ? "cancelled" : isDropped() ? "interrupted" : "waiting";
  const id = noteWaiting(inbox, message, { ...here, fate }, undefined, acknowledged);
  return (counting) => {
    if (isObject(counting) && Reflect.get(counting, DROPPED) === true) Reflect.set(dispatcher, DROPPED, true);
    if (fate() === "waiting") settleWaiting(inbox, id);
  };
}

function readText({ BodyForAgent, Body, RawBody }: JsonObject): string | undefined {
  const text = BodyForAgent ?? Body ?? RawBody;
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

/** OpenClaw puts a client's settings before the words of a message, which are none of its words. */
function readCommand(ctx: JsonObject): string {
  const command = String(ctx.BodyForCommands ?? ctx.CommandBody ?? ctx.RawBody ?? "");
  return readText(ctx)?.includes(command.trim()) ? command : "";
}

/** The id of a message is its chat's; several chats may be one conversation of OpenClaw's. */
function chatName({ Provider, From, MessageSid }: JsonObject): string | undefined {
  return typeof MessageSid === "string" && MessageSid !== "" ? JSON.stringify([Provider, From, MessageSid]) : undefined;
}

function mediaNotes({ MediaPath, MediaPaths }: JsonObject): string[] {
  const paths: unknown[] = Array.isArray(MediaPaths) ? MediaPaths : [MediaPath];
  return paths.flatMap((path) => (typeof path === "string" && path !== "" ? [`[media attached: ${path}]`] : []));
}

function toMessage(text: string, { InputProvenance }: JsonObject, { images }: JsonObject): JsonObject {
  const pictures = Array.isArray(images) ? images.filter(isObject) : [];
  const provenance = isObject(InputProvenance) ? { provenance: InputProvenance } : {};
  return { role: "user", content: [{ type: "text", text }, ...pictures], timestamp: Date.now(), ...provenance };
}
