import { toJson } from "../../src/transcript/json/json.ts";
import type { TranscriptEntry } from "./transcript.ts";
import type { RawTurn, TurnResult } from "./types.ts";

/**
 * Whether the model answered. Two witnesses must agree, because OpenClaw words many failures as an ordinary reply and
 * shows the previous answer again when a turn is aborted: a payload that is no error, and the last assistant message in
 * the store, which must be new, have ended well and hold that very text.
 */
export function judgeTurn(
  turn: RawTurn,
  before: readonly TranscriptEntry[],
  after: readonly TranscriptEntry[],
): Omit<TurnResult, "ms"> {
  const text = joinPayloads(turn.payloads);
  const fail = (error: string): Omit<TurnResult, "ms"> => ({ answered: false, text, error });
  const shownError = joinPayloads(turn.payloads.filter((payload) => payload.isError));
  if (turn.error || shownError) return fail(turn.error ?? shownError);
  // As JSON of any depth. By value, not by entry id: loading an old format gives every entry a new id.
  const old = new Set(listAssistants(before).map((message) => toJson(message)));
  const last = listAssistants(after).at(-1);
  if (!text.trim()) return fail("no reply");
  if (!last || old.has(toJson(last))) return fail("a reply, but no new message of the model");
  const stop = String(last["stopReason"]);
  if (stop !== "stop" && stop !== "length") return fail(`the model's message ended with ${stop}`);
  const spoken = squash(visibleText(last["content"]));
  return spoken && squash(text).includes(spoken)
    ? { answered: true, text }
    : fail("the reply is not what the model said");
}

function listAssistants(entries: readonly TranscriptEntry[]): Record<string, unknown>[] {
  return entries.map(readAssistant).filter((message) => message !== undefined);
}

function joinPayloads(payloads: RawTurn["payloads"]): string {
  return payloads
    .map((payload) => payload.text ?? "")
    .filter(Boolean)
    .join("\n");
}

function readAssistant(entry: TranscriptEntry): Record<string, unknown> | undefined {
  const message = entry["message"];
  if (entry["type"] !== "message" || typeof message !== "object" || message === null) return undefined;
  const record = message as Record<string, unknown>;
  return record["role"] === "assistant" ? record : undefined;
}

function visibleText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block: unknown) => (typeof block === "object" && block !== null ? (block as Record<string, unknown>) : {}))
    .filter((block) => block["type"] === "text" && typeof block["text"] === "string")
    .map((block) => block["text"])
    .join(" ");
}

function squash(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
