/** What became of a body made by families.ts: the marks in it, and which result goes out with which call. */
import type { FamilyApi } from "./families.ts";

type Json = Record<string, unknown>;

/** The marks in a body, in the order in which they stand. */
export function marksIn(body: unknown): string[] {
  return [...new Set(JSON.stringify(body).match(/\b[tcr]\d+ end/g) ?? [])];
}

/** Each result that goes out as one, with the call that it names. */
export function pairsIn(api: FamilyApi, body: Json): { call: Json | undefined; result: Json }[] {
  const calls = new Map<unknown, Json>();
  const pairs: { call: Json | undefined; result: Json }[] = [];
  const blocks =
    api === "openai-responses"
      ? (body["input"] as Json[])
      : (body["messages"] as { content: unknown }[]).flatMap(({ content }) =>
          Array.isArray(content) ? (content as Json[]) : [],
        );
  for (const block of blocks) {
    const { toolUse, toolResult } = block as { toolUse?: Json; toolResult?: Json };
    const type = String(block["type"] ?? "");
    if (toolUse) calls.set(toolUse["toolUseId"], block);
    else if (toolResult) pairs.push({ call: calls.get(toolResult["toolUseId"]), result: block });
    else if (type.endsWith("_result") && block["tool_use_id"] !== undefined)
      pairs.push({ call: calls.get(block["tool_use_id"]), result: block });
    else if (type.endsWith("_output") && typeof block["call_id"] === "string")
      pairs.push({ call: calls.get(block["call_id"]), result: block });
    else if (type.endsWith("tool_use")) calls.set(block["id"], block);
    else if (type.endsWith("_call") && typeof block["call_id"] === "string") calls.set(block["call_id"], block);
  }
  return pairs;
}
