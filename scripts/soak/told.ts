/** What a request tells the model of a call. */
import type { JsonObject } from "../../harness/providers/index.ts";
import { readTold } from "../chaos/told.ts";

const OUR_CALL = /work\.sh (\w+) (\d+) /;

/** The calls that a request says something of that cannot be true: that they never began, or nothing but an invention. */
export function toldWrongly(body: JsonObject, hasBegun: (call: string) => boolean): string[] {
  const results = readResults(body);
  return [...results].flatMap(([id, { ms, texts }]) => {
    const { told, text } = readTold(
      { id, ms, tool: "exec", fails: false },
      { results: new Map([[id, texts]]), halves: [] },
    );
    // What a person stops is told so, in the agent core's own word.
    const isFalse = told === "not started" || (told === "invented" && !text.startsWith("aborted"));
    return isFalse && hasBegun(id) ? [id] : [];
  });
}

/** By our own id, which stands in the arguments: the texts of its results, on any of the APIs. */
function readResults(body: JsonObject): Map<string, { ms: number; texts: string[] }> {
  const found = new Map<string, { ms: number; texts: string[] }>();
  const open: { id: unknown; call: string }[] = [];
  const take = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) take(one);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    const { id, args } = readCall(value as JsonObject);
    const [, call = "", ms] = OUR_CALL.exec(args) ?? [];
    if (call !== "") {
      open.push({ id, call });
      found.set(call, { ms: Number(ms), texts: [] });
      return;
    }
    const result = readResult(value as JsonObject);
    if (result === undefined) return Object.values(value).forEach(take);
    const at = open.findIndex((one) => one.id === result.id);
    if (at >= 0) found.get(open.splice(at, 1)[0]!.call)!.texts.push(result.text);
  };
  take([body["messages"], body["input"], body["contents"]]);
  return found;
}

function readCall(part: JsonObject): { id: unknown; args: string } {
  const { functionCall } = part as { functionCall?: JsonObject };
  if (functionCall !== undefined) return { id: functionCall["id"], args: JSON.stringify(functionCall["args"]) ?? "" };
  const { function: called } = part as { function?: JsonObject };
  if (called !== undefined) return { id: part["id"], args: String(called["arguments"]) };
  if (part["type"] === "function_call") return { id: part["call_id"], args: String(part["arguments"]) };
  return part["type"] === "tool_use"
    ? { id: part["id"], args: JSON.stringify(part["input"]) ?? "" }
    : { id: undefined, args: "" };
}

function readResult(part: JsonObject): { id: unknown; text: string } | undefined {
  const { functionResponse } = part as { functionResponse?: JsonObject };
  if (functionResponse !== undefined) {
    const { output, error } = (functionResponse["response"] ?? {}) as { output?: unknown; error?: unknown };
    return { id: functionResponse["id"], text: toText(output ?? error) };
  }
  if (part["type"] === "tool_result") return { id: part["tool_use_id"], text: toText(part["content"]) };
  if (part["role"] === "tool") return { id: part["tool_call_id"], text: toText(part["content"]) };
  return part["type"] === "function_call_output" ? { id: part["call_id"], text: toText(part["output"]) } : undefined;
}

function toText(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? "").join("\n") : "";
}
