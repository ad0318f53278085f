import { isBlank, isObject, type JsonObject } from "../../transcript/json/json.ts";
import { integrityError } from "../base/errors.ts";
import type { CycleCall, GivenCall } from "../base/types.ts";

/** A given cycle in a form that is stored. */
interface ReadCycle {
  cycle: CycleCall;
  /** Calls whose arguments cannot be read, by their place among the calls: why. */
  unreadable: ReadonlyMap<number, string>;
}

const NONE: ReadonlyMap<number, string> = new Map();

/**
 * Converts an assistant message or a call of OpenAI's Chat Completions API to one with `tool_use` blocks: `arguments`
 * there is a text with JSON. Returns any other cycle itself. Throws an IntegrityError `bad-call` for a tool call that
 * is no function call.
 */
export function fromChat(given: GivenCall): ReadCycle {
  const source: unknown = given;
  if (!isObject(source)) return { cycle: given as CycleCall, unreadable: NONE };
  if (source.type === "function" && isObject(source.function)) {
    const unreadable = new Map<number, string>();
    return { cycle: toToolUse(source, 0, unreadable) as unknown as CycleCall, unreadable };
  }
  if (source.role !== "assistant" || !Array.isArray(source.tool_calls) || source.tool_calls.length === 0)
    return { cycle: given as CycleCall, unreadable: NONE };
  const unreadable = new Map<number, string>();
  const uses = (source.tool_calls as unknown[]).map((call, at) => toToolUse(call, at, unreadable));
  return { cycle: { role: "assistant", content: [...readChatText(source), ...uses] }, unreadable };
}

function toToolUse(call: unknown, at: number, unreadable: Map<number, string>): JsonObject {
  if (!isObject(call) || !isObject(call.function)) {
    throw integrityError("bad-call", {
      expected: 'tool calls { type: "function", id, function: { name, arguments } }',
      found: isObject(call) ? `one of the type ${JSON.stringify(call.type) ?? "undefined"}` : typeof call,
      todo: "Answer a call of another kind yourself. No tool was run and nothing was stored.",
    });
  }
  const { name, arguments: given } = call.function;
  return { type: "tool_use", id: call.id, name, input: parsed(given, at, unreadable) };
}

function parsed(given: unknown, at: number, unreadable: Map<number, string>): unknown {
  if (typeof given !== "string") return given ?? {};
  // Several servers send an empty text for a tool without arguments.
  if (isBlank(given)) return {};
  try {
    const value: unknown = JSON.parse(given);
    if (isObject(value)) return value;
    unreadable.set(at, "The arguments of the call are not a JSON object.");
  } catch {
    unreadable.set(at, "The arguments of the call are not valid JSON.");
  }
  return given;
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
