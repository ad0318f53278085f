/** Who wrote a message: known by the fields that OpenClaw and this project store beside it, never by its words. */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { readOrigin } from "../../transcript/origin.ts";
import { isCallBlock, isFailedTurn, isResultBlock } from "../../transcript/read.ts";
import { nodeBlocks, type History, type HistoryNode, textOfNode } from "../history.ts";

/**
 * Who a user message is from. `person`: somebody who talks to the agent. `task`: not a person, but somebody who wants
 * something done (another session, a scheduled job). `system`: OpenClaw itself, which reports something. `command`: a
 * person who talked to OpenClaw and not to the agent.
 */
export type Author = "person" | "task" | "system" | "command";

/** Tools of OpenClaw that pass a request on to the agent; all others of its own messages are reports. */
const PASSING_ON: ReadonlySet<unknown> = new Set(["openclaw_agent_consult"]);

/** The models by which OpenClaw marks what it wrote into a transcript itself. */
const INJECTED = "gateway-injected";
const OWN_MODELS: ReadonlySet<unknown> = new Set([INJECTED, "delivery-mirror"]);

/**
 * The author of a node; undefined for nodes that are no user messages, or hold neither text nor media. A message
 * without any of OpenClaw's marks counts as a person's, because releases before 2026.5 mark nothing.
 */
export function findAuthor(history: History, node: HistoryNode): Author | undefined {
  const { message } = node.entry;
  if (node.role !== "user" || !isObject(message) || !saysSomething(node)) return undefined;
  const { provenance } = message;
  if (isObject(provenance)) {
    if (provenance.kind === "inter_session") return "task";
    if (provenance.kind === "internal_system")
      return typeof provenance.jobId === "string" || PASSING_ON.has(provenance.sourceTool) ? "task" : "system";
  }
  return isCommand(history, node, message) ? "command" : "person";
}

/** Whether a node asks the agent for something: a message of a person, or a task. */
export function isRequest(history: History, node: HistoryNode): boolean {
  const author = findAuthor(history, node);
  return author === "person" || author === "task";
}

/** Whether a node is beside the talk with the agent: a command to OpenClaw, or what OpenClaw wrote, as its answer. */
export function isAside(history: History, node: HistoryNode): boolean {
  return isInjected(node.entry.message) || findAuthor(history, node) === "command";
}

/** Returns the id of the last node of the present path that is not {@link isAside}; null where there is none. */
export function conversationEnd(history: History): string | null {
  return history.path().findLast((node) => !isAside(history, node))?.id ?? null;
}

/**
 * Whether a node answers what was asked before it: an assistant message that the agent wrote and that did not fail,
 * with text and without tool calls. Notices of this project and messages of OpenClaw's own answer nothing.
 */
export function isAnswer(node: HistoryNode): boolean {
  const { message } = node.entry;
  return (
    node.role === "assistant" &&
    isObject(message) &&
    !isFailedTurn(message) &&
    readOrigin(message).notice === undefined &&
    !(message.provider === "openclaw" && OWN_MODELS.has(message.model)) &&
    !nodeBlocks(node).some(isCallBlock) &&
    textOfNode(node).trim() !== ""
  );
}

/** The blocks of a user message that are neither text nor tool traffic: pictures, documents, recordings. */
export function readMedia(node: HistoryNode): JsonObject[] {
  return nodeBlocks(node)
    .filter(isObject)
    .filter((block) => typeof block.text !== "string" && !isCallBlock(block) && !isResultBlock(block));
}

/** Files that came with a message and that OpenClaw, since 2026.8, stores beside it. */
export function listAttached({ entry }: HistoryNode): { readonly url: string; readonly contentType: string }[] {
  const stored = isObject(entry.message) ? entry.message["__openclaw"] : undefined;
  const media = isObject(stored) && Array.isArray(stored.media) ? stored.media : [];
  return media
    .filter(isObject)
    .flatMap(({ url, contentType }) =>
      typeof url === "string" ? [{ url, contentType: typeof contentType === "string" ? contentType : "" }] : [],
    );
}

function saysSomething(node: HistoryNode): boolean {
  return textOfNode(node).trim() !== "" || readMedia(node).length > 0 || listAttached(node).length > 0;
}

/**
 * A message with a slash that OpenClaw answered itself, by an answer with the same idempotency key. A slash alone
 * proves nothing: it may begin a path.
 */
function isCommand(history: History, node: HistoryNode, { idempotencyKey }: JsonObject): boolean {
  return (
    textOfNode(node).trimStart().startsWith("/") &&
    typeof idempotencyKey === "string" &&
    history.children(node.id).some(({ entry }) => answeredKey(entry.message) === idempotencyKey)
  );
}

/** The chat commands of this project. */
const OWN_COMMAND = /^\s*\/(?:timeline|rewind|(?:l0|integrity)-[a-z]+)(?![\w-])/;

/** Whether a text begins as a chat command of this project does. */
export function isOwnCommand(text: string): boolean {
  return OWN_COMMAND.test(text);
}

/** The idempotency key of the command that a message answers; undefined for any other message. */
export function answeredKey(message: unknown): string | undefined {
  return isInjected(message) && isObject(message) && typeof message.idempotencyKey === "string"
    ? `${message.idempotencyKey}:user`
    : undefined;
}

/** Whether OpenClaw itself wrote a message. False for what it kept of an answer that a person stopped. */
function isInjected(message: unknown): boolean {
  return (
    isObject(message) &&
    message.role === "assistant" &&
    message.provider === "openclaw" &&
    message.model === INJECTED &&
    message.openclawAbort === undefined
  );
}
