/** From repaired messages to the alternating turns that the APIs want. */
import { freshId } from "../transcript/json/hash.ts";
import { addAll, mapChanged } from "../transcript/json/list.ts";
import { isBlank, type JsonObject } from "../transcript/json/json.ts";
import { FROM, RAW, type Block, type BodyMessage, type Limits } from "./model.ts";

/** Text of the user message behind a history that ends with the assistant, which the APIs would continue. */
export const CONTINUE_TEXT = "[Please continue.]";

/** Blocks of one role, in order; in a user turn the results come before all other content. */
export interface Turn {
  role: "user" | "assistant";
  results: BodyMessage[];
  blocks: Block[];
  /** The raw messages of the body that were joined in this turn. */
  raws: JsonObject[];
}

/** Joins the messages of a repaired history into turns that alternate between user and assistant. */
export function toTurns(messages: readonly BodyMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    let turn = turns.at(-1);
    // A result answers the turn directly before it, so it is never added to a turn that has text already.
    if (turn?.role !== role || (message.role === "toolResult" && turn.blocks.length > 0)) {
      turn = { role, results: [], blocks: [], raws: [] };
      turns.push(turn);
    }
    if (message.role === "toolResult") turn.results.push(message);
    else if (typeof message.content === "string") turn.blocks.push({ type: "text", text: message.content });
    else for (const block of (message.content as Block[] | undefined) ?? []) turn.blocks.push(block);
    if (message[RAW]) turn.raws.push(message[RAW]);
  }
  return turns;
}

/** Replaces ids and names of calls and their results that the API does not accept. */
export function conformCalls(
  messages: readonly BodyMessage[],
  { id: idPattern, name: namePattern, nameLength }: Limits,
): BodyMessage[] {
  const taken = new Set<string>();
  for (const message of messages) for (const call of listCalls(message)) taken.add(call.id as string);
  let renamed = new Map<unknown, { id: string; name: string; given: unknown }>();
  return messages.map((message) => {
    if (message.role === "toolResult") {
      const call = renamed.get(message.toolCallId);
      if (!call || (call.id === message.toolCallId && call.name === call.given)) return message;
      return { ...message, toolCallId: call.id, toolName: call.name };
    }
    if (message.role !== "assistant") return message;
    renamed = new Map();
    const calls = listCalls(message);
    if (calls.length === 0) return message;
    const content = mapChanged(message.content as Block[], (block) => {
      if (block.type !== "toolCall") return block;
      const id = idPattern.test(block.id as string) ? (block.id as string) : freshId(block.id as string, 0, taken);
      const name = conformName(block.name as string, namePattern, nameLength);
      renamed.set(block.id, { id, name, given: block.name });
      return id === block.id && name === block.name ? block : { ...block, id, name };
    });
    return content === message.content ? message : { ...message, content };
  });
}

/**
 * Moves calls that the repair has added for results behind the call of another result of the same message of the body,
 * so that the results stay together, in the order in which they were read.
 */
export function withSharedCallers(messages: readonly BodyMessage[], read: readonly BodyMessage[]): BodyMessage[] {
  const orders = new Map(read.map((message, at) => [message[RAW], at]));
  const shared: BodyMessage[] = [];
  /** The assistant message that the results at the end belong to, and whether these are out of order. */
  let caller = -1;
  let isMixed = false;
  /** The content of that message once calls were moved to it: a list of its own, so that each call is copied once. */
  let content: Block[] | undefined;
  const sort = (): void => {
    if (!isMixed) return;
    const results = shared.splice(caller + 1);
    results.sort((a, b) => orders.get(a[RAW])! - orders.get(b[RAW])!);
    addAll(shared, results);
    isMixed = false;
  };
  for (const [at, message] of messages.entries()) {
    const before = shared.at(-1);
    const isShared =
      message.role === "assistant" &&
      message[FROM] === undefined &&
      before?.role === "toolResult" &&
      before[FROM] !== undefined &&
      before[FROM] === messages[at + 1]?.[FROM];
    if (isShared) {
      const first = shared[caller]!;
      if (first[FROM]) {
        shared.splice(++caller, 0, message);
        content = undefined;
      } else {
        if (!content) shared[caller] = { ...first, content: (content = (first.content as Block[]).slice()) };
        addAll(content, listCalls(message));
      }
      isMixed = true;
      continue;
    }
    if (message.role !== "toolResult") sort();
    if (message.role === "assistant") {
      caller = shared.length;
      content = undefined;
    }
    shared.push(message);
  }
  sort();
  return shared;
}

function listCalls(message: BodyMessage): Block[] {
  return message.role === "assistant" ? (message.content as Block[]).filter((block) => block.type === "toolCall") : [];
}

/** Returns the name with all characters replaced that the API refuses, cut to length; unchanged when it is accepted. */
export function conformName(name: string, pattern: RegExp, length: number): string {
  if (pattern.test(name)) return name;
  const cleaned = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, length);
  return isBlank(cleaned.replaceAll("_", " "))
    ? "unknown_tool"
    : /^[0-9-]/.test(cleaned)
      ? `_${cleaned}`.slice(0, length)
      : cleaned;
}

/** Adds a user turn to a history that ends with the assistant, so that the API answers instead of continuing it. */
export function endWithUser(turns: Turn[]): Turn[] {
  return turns.at(-1)?.role === "assistant" ? [...turns, userTurn(CONTINUE_TEXT)] : turns;
}

/** Creates a user turn with this text. */
export function userTurn(text: string): Turn {
  return { role: "user", results: [], blocks: [{ type: "text", text }], raws: [] };
}
