import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { looksNamed } from "../transcript/look.ts";
import { mapChanged } from "../transcript/json/list.ts";
import { assertList } from "../transcript/options.ts";
import { repair, repairAnalysed, type Repair } from "../transcript/repair.ts";

/** Names of the fields in which chat servers send reasoning; OpenClaw stores the field's name as the signature. */
const REASONING_FIELD = /^reasoning[a-z_]*$/;

/** Options of {@link prepare}. */
export interface PrepareOptions {
  /** Called with repairs, once or twice; not called when there are none. */
  onRepairs?: (repairs: Repair[]) => void;
}

/**
 * Prepares OpenClaw's messages for the adapter of an API, so that the adapter neither throws on them nor loses any of
 * their content: blocks of types that the adapter knows, calls and results in OpenClaw's spelling and next to each
 * other, unique ids. A valid history is returned as the same object; idempotent and deterministic. Rules on the
 * finished body are left to `heal`.
 *
 * @param api OpenClaw's name of the API.
 * @param messages `context.messages` of a model call. A message or block may be any value.
 */
export function prepare<T>(api: string, messages: T[], options: PrepareOptions = {}): T[] {
  assertList("prepare", messages);
  if (isPreparedFrom(api, messages, 0)) return messages;
  const repaired = repairAnalysed(messages, "remove_orphans", "openclaw");
  if (repaired.repairs.length > 0) options.onRepairs?.(repaired.repairs);
  const signed = fixSignatures(api, repaired.messages as T[]);
  if (signed !== repaired.messages) {
    // No single place: signatures of several messages.
    options.onRepairs?.([{ kind: "foreign_block", action: "convert_block", messageIndex: -1, blockIndex: -1, id: "" }]);
  }
  const named = nameResults(signed);
  // Thinking that had a signature and no words says nothing without the signature.
  return signed === repaired.messages ? named : (repair(named, { spelling: "openclaw" }).messages as T[]);
}

/**
 * True when {@link prepare} would change nothing from this message on, where those before are prepared and have no call
 * or result of the same id; false proves nothing.
 */
export function isPreparedFrom(api: string, messages: readonly unknown[], from: number): boolean {
  if (!looksNamed(messages, from)) return false;
  const added = (from === 0 ? messages : messages.slice(from)) as unknown[];
  return fixSignatures(api, added) === added;
}

/** Removes signatures that make the adapter of this API throw; it sends only those of messages from the same API. */
function fixSignatures<T>(api: string, messages: T[]): T[] {
  const isUsable = signatureCheck(api);
  return isUsable ? mapChanged(messages, (message) => withUsableSignatures(api, isUsable, message)) : messages;
}

function withUsableSignatures<T>(api: string, isUsable: (signature: unknown) => boolean, message: T): T {
  if (!isObject(message) || message.role !== "assistant" || message.api !== api || !Array.isArray(message.content))
    return message;
  const content = mapChanged(message.content as unknown[], (block) => {
    if (!isObject(block) || block.type !== "thinking" || isUsable(block.thinkingSignature)) return block;
    const { thinkingSignature: _unusable, ...rest } = block;
    return rest;
  });
  return content === message.content ? message : ({ ...(message as JsonObject), content } as T);
}

function signatureCheck(api: string): ((signature: unknown) => boolean) | undefined {
  if (api.includes("completions"))
    return (signature) => !signature || (typeof signature === "string" && REASONING_FIELD.test(signature));
  if (api.includes("responses")) return (signature) => !signature || isReasoningItem(signature);
  return undefined;
}

/** True for the JSON of a reasoning item, which OpenClaw stores as the signature for Responses. */
function isReasoningItem(signature: unknown): boolean {
  if (typeof signature !== "string") return false;
  try {
    const item: unknown = JSON.parse(signature);
    return isObject(item) && item.type === "reasoning" && typeof item.id === "string";
  } catch {
    return false;
  }
}

/**
 * Gives every result the tool name of its call: Gemini's adapter sends the result's own name, and the server compares
 * both.
 */
function nameResults<T>(messages: T[]): T[] {
  let calls: JsonObject[] = [];
  let next = 0;
  let byId: Map<unknown, JsonObject> | undefined;
  return mapChanged(messages, (message) => {
    if (!isObject(message)) return message;
    if (message.role === "assistant" && Array.isArray(message.content)) {
      calls = message.content as JsonObject[];
      next = 0;
      byId = undefined;
    }
    if (message.role !== "toolResult") return message;
    // Results are nearly always in the order of their calls.
    while (next < calls.length && calls[next]!.type !== "toolCall") next++;
    const call =
      calls[next]?.id === message.toolCallId ? calls[next++] : (byId ??= callsById(calls)).get(message.toolCallId);
    const name = call?.name ?? message.toolName ?? "unknown_tool";
    return message.toolName === name ? message : ({ ...(message as JsonObject), toolName: name } as T);
  });
}

function callsById(blocks: readonly JsonObject[]): Map<unknown, JsonObject> {
  return new Map(blocks.filter(({ type }) => type === "toolCall").map((call) => [call.id, call]));
}
