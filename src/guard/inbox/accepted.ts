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
 * Set by an inserted line on the dispatcher of a message that OpenClaw drops, because a run that was told to stop has
 * not ended yet.
 */
const DROPPED = Symbol.for("openclaw-integrity.dropped");
/** A setting within a text, such as ` /think high`: OpenClaw takes it out, so that the run has other words. */
const SETTING = /\s\/[a-z]/i;

/**
 * Keeps a user message in the journal from its acceptance until OpenClaw is done with it. OpenClaw has the message in
 * memory only, until a model is asked or a row is stored: until then a kill or a stop loses it, and OpenClaw drops a
 * message that comes before a stopped run has ended. Called before the gateway acknowledges the message, when `params`
 * have no dispatcher, and at the beginning of each dispatch, a channel's too, with the parameters of the dispatch.
 * Resolves when the dispatch may begin: without a `ticket`, by which later releases keep messages in order, it waits
 * until the message before it has a session. Never throws.
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
 * Writes the message to the journal. Returns the function to call when OpenClaw counts the replies, which ends a
 * dispatch: it removes the message, unless that was stopped or dropped; then the next load decides (collectUntaken).
 * Undefined for a command, and before the dispatch.
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
  const details = { isReworded: media.length > 0 || SETTING.test(text), sentAs: chatName(ctx) };
  if (details.sentAs !== undefined) settleDead(inbox, details.sentAs);
  const message = toMessage([text, ...media].join("\n"), ctx, options);
  if (!isObject(dispatcher)) {
    if (typeof runId === "string") noteWaiting(inbox, message, { ...details, runId, fate: () => "waiting" });
    return undefined;
  }
  const isDropped = (): boolean => Reflect.get(dispatcher, DROPPED) === true;
  const isStopped = (): boolean => abortSignal instanceof AbortSignal && abortSignal.aborted;
  const fate = (): ReturnType<WaitingHere["fate"]> =>
    isStopped() ? "cancelled" : isDropped() ? "interrupted" : "waiting";
  const id = noteWaiting(inbox, message, { ...details, fate }, undefined, acknowledged);
  return (counting) => {
    if (isObject(counting) && Reflect.get(counting, DROPPED) === true) Reflect.set(dispatcher, DROPPED, true);
    if (fate() === "waiting") settleWaiting(inbox, id);
  };
}

function readText({ BodyForAgent, Body, RawBody }: JsonObject): string | undefined {
  const text = BodyForAgent ?? Body ?? RawBody;
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

/** Returns the text that can be a command; none where OpenClaw has put a client's settings before the words. */
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
