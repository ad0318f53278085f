import { isBlank, isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { CycleCall, GivenCall, MessageFormat } from "../base/types.ts";
import { fromGoogle } from "./google-form.ts";
import { badAnswer, CallReader, type ReadCycle } from "./read-answer.ts";
import { fromResponses } from "./responses-form.ts";

const NONE: ReadonlyMap<number, string> = new Map();

/**
 * Converts the answer of OpenAI's APIs or of Gemini to an assistant message of a format, and a call of Chat Completions
 * to one. Returns any other cycle itself. Throws an IntegrityError `bad-call` for an answer that cannot be stored.
 */
export function readGiven(given: GivenCall, format: MessageFormat): ReadCycle {
  const source: unknown = given;
  const asIs = { cycle: given as CycleCall, unreadable: NONE };
  if (!isObject(source)) return asIs;
  const { type, role } = source;
  if (type === undefined && role === undefined && Array.isArray(source.output))
    return fromResponses(source.output, format);
  if (type === undefined && (role === undefined || role === "model") && Array.isArray(source.parts))
    return fromGoogle(source.parts, format);
  return fromChat(source) ?? asIs;
}

/**
 * Reads a message or a call of Chat Completions, in either format as one with `tool_use` blocks; undefined for anything
 * else.
 */
function fromChat(source: JsonObject): ReadCycle | undefined {
  const calls = new CallReader("anthropic");
  const read = (call: unknown): JsonObject => {
    if (!isObject(call) || !isObject(call.function))
      throw badAnswer('tool calls { type: "function", id, function: { name, arguments } }', call);
    const { name, arguments: given } = call.function;
    return calls.read({ id: call.id, name, given });
  };
  if (source.type === "function" && isObject(source.function))
    return { ...calls.finish([]), cycle: read(source) as unknown as CycleCall };
  if (source.role !== "assistant" || !Array.isArray(source.tool_calls) || source.tool_calls.length === 0)
    return undefined;
  return calls.finish([...readChatText(source), ...(source.tool_calls as unknown[]).map(read)]);
}

/** Returns what the message says beside its calls: text parts as they are, a text as one block. */
function readChatText({ content, refusal }: JsonObject): object[] {
  const parts = Array.isArray(content) ? (content as unknown[]).filter(isObject) : [];
  return [
    ...parts,
    ...[content, refusal].flatMap((text) =>
      typeof text === "string" && !isBlank(text) ? [{ type: "text", text }] : [],
    ),
  ];
}
