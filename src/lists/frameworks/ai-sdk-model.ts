/** ModelMessage of the AI SDK: calls are parts of an assistant message, results parts of a tool message behind it. */
import { isBlank, isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import { soundArguments } from "./arguments.ts";
import { opaque, PART, SOURCE, UNJUDGED, type Framework, type Read } from "./paired.ts";

function partsIn({ content }: JsonObject): JsonObject[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function isCall(part: unknown): part is JsonObject {
  // The provider itself has the results of calls that it executes.
  return isObject(part) && part.type === "tool-call" && part.providerExecuted !== true;
}

function isResult(part: unknown): part is JsonObject {
  return isObject(part) && part.type === "tool-result";
}

const TEXT_OUTPUTS = new Set<unknown>(["text", "error-text"]);

/** Results of calls that a person denied, by the ids of the calls. */
type Denials = ReadonlyMap<unknown, JsonObject>;

/** Returns the denials behind which the conversation goes on: the AI SDK itself gives the last one its result. */
function denialsIn(rows: readonly unknown[]): Denials {
  const parts = rows.flatMap((row, at) => (isObject(row) ? partsIn(row).map((part) => ({ part, at })) : []));
  const lastTurn = rows.findLastIndex((row) => isObject(row) && (row.role === "user" || row.role === "assistant"));
  const asked = new Map<unknown, unknown>();
  const denials = new Map<unknown, JsonObject>();
  for (const { part, at } of parts) {
    if (part.type === "tool-approval-request") asked.set(part.approvalId, part.toolCallId);
    if (part.type !== "tool-approval-response" || part.approved !== false || at > lastTurn) continue;
    const { reason } = part;
    denials.set(asked.get(part.approvalId), {
      type: "execution-denied",
      ...(typeof reason === "string" && { reason }),
    });
  }
  return denials;
}

export const modelMessages: Framework = { ...formWith(new Map()), inList: (rows) => formWith(denialsIn(rows)) };

function formWith(denials: Denials): Framework {
  return {
    settle(row, note) {
      if (!Array.isArray(row.content)) return row;
      let blockIndex = -1;
      const content = mapChanged(row.content as unknown[], (part) => {
        blockIndex++;
        const id = isObject(part) && typeof part.toolCallId === "string" ? part.toolCallId : "";
        if (row.role === "assistant" && isCall(part)) {
          const input = soundArguments(part.input);
          if (input === part.input) return part;
          note({ kind: "invalid_arguments", blockIndex, id });
          return { ...part, input };
        }
        if (row.role !== "tool" || !isResult(part)) return part;
        const { output } = part;
        if (isObject(output) && !(TEXT_OUTPUTS.has(output.type) && (output.value ?? null) === null)) return part;
        note({ kind: "invalid_result", blockIndex, id });
        const value =
          typeof output === "string" ? output : isObject(output) || (output ?? null) === null ? "" : toJson(output);
        return { ...part, output: isObject(output) ? { ...output, value } : { type: "text", value } };
      });
      return content === row.content ? row : { ...row, content };
    },

    read(row, isLast) {
      const { role, content } = row;
      const parts: unknown[] = Array.isArray(content) ? content : [content];
      if (role === "assistant") return [{ role, content: readParts(parts, isLast, denials) }];
      if (role === "user") return [{ role, content: parts.every(isEmptyPart) ? "" : "opaque" }];
      if (role !== "tool") return [UNJUDGED];
      return parts.flatMap((part, at) => (isResult(part) ? [readResult(part, at)] : []));
    },

    write(messages, row, isFirst) {
      const [message] = messages;
      if (message!.role === "assistant") {
        const blocks = message!.content as Read[];
        return { ...(row ?? { role: "assistant" }), content: blocks.map(writeBlock) };
      }
      if (message!.role !== "toolResult") return row;
      const beside = isFirst && row ? partsIn(row).filter((part) => !isResult(part)) : [];
      return {
        ...(row ?? { role: "tool" }),
        content: [...beside, ...messages.map((result) => writeResult(result, denials))],
      };
    },
  };
}

function isEmptyPart(part: unknown): boolean {
  if (part === undefined || part === null) return true;
  if (typeof part === "string") return isBlank(part);
  return isObject(part) && part.type === "text" && typeof part.text === "string" && isBlank(part.text);
}

function readParts(parts: readonly unknown[], isLast: boolean, denials: Denials): Read[] {
  /** Calls that a person is asked about; their results come once they are answered. */
  const asked = new Set(
    parts
      .filter((part) => isObject(part) && part.type === "tool-approval-request")
      .map((part) => (part as JsonObject).toolCallId),
  );
  return parts.map((part): Read => {
    if (isCall(part))
      return {
        type: "toolCall",
        id: part.toolCallId,
        name: part.toolName,
        arguments: {},
        ...(isLast && asked.has(part.toolCallId) && !denials.has(part.toolCallId) && { async: true }),
        [SOURCE]: part,
      };
    if (!isEmptyPart(part) && typeof part !== "string") return opaque(part);
    const text = typeof part === "string" ? part : "";
    return { type: "text", text, ...(isObject(part) && { [SOURCE]: part }) };
  });
}

function readResult(part: JsonObject, at: number): Read {
  const { value } = part.output as JsonObject;
  const text = typeof value === "string" && !isBlank(value) ? value : toJson(part.output);
  return {
    role: "toolResult",
    toolCallId: part.toolCallId,
    ...(typeof part.toolName === "string" && { toolName: part.toolName }),
    content: [{ type: "text", text }],
    isError: false,
    [PART]: at,
    [SOURCE]: part,
  };
}

function writeBlock(block: Read): unknown {
  const { [SOURCE]: part } = block;
  if (block.type !== "toolCall") return part ?? { type: "text", text: block.text };
  if (part?.toolCallId === block.id && part?.toolName === block.name) return part;
  return { ...part, type: "tool-call", toolCallId: block.id, toolName: block.name, input: part ? part.input : {} };
}

function writeResult({ content, toolCallId, toolName, [SOURCE]: part }: Read, denials: Denials): unknown {
  const texts = (content as Read[]).map(({ text }) => text as string);
  if (!part) {
    const output = denials.get(toolCallId) ?? { type: "error-text", value: texts.join("\n") };
    return { type: "tool-result", toolCallId, toolName, output };
  }
  const name = typeof part.toolName === "string" && part.toolName !== "" ? part.toolName : (toolName ?? "unknown_tool");
  if (texts.length === 1)
    return part.toolCallId === toolCallId && part.toolName === name ? part : { ...part, toolCallId, toolName: name };
  const { type, value } = part.output as JsonObject;
  const output =
    type === "content" && Array.isArray(value)
      ? { type, value: [...(value as unknown[]), ...texts.slice(1).map((text) => ({ type: "text", text }))] }
      : { type: TEXT_OUTPUTS.has(type) ? type : "text", value: texts.join("\n") };
  return { ...part, toolCallId, toolName: name, output };
}
