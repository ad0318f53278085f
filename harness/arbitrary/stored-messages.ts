/** Messages as OpenClaw stores them, of which random histories are made. */
import { USAGE } from "../openclaw/samples.ts";

export type Block = Record<string, unknown>;
export type Message = Record<string, unknown> & { role: string };

/** When all of them were made. */
export const TIMESTAMP = 1_770_000_000_000;

/** A message of the assistant. */
export function assistant(content: Block[], stopReason: string): Message {
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-opus-4-5",
    // Histories are corrupted in place.
    usage: structuredClone(USAGE),
    stopReason,
    timestamp: TIMESTAMP,
  };
}

/** A result of a tool. */
export function toolResult(id: string, name: string, text: string): Message {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [{ type: "text", text }],
    isError: false,
    timestamp: TIMESTAMP,
  };
}

/** Blocks of the message's content, or none. */
export function blocks(message: unknown): Block[] {
  const content = (message as Message | null)?.content;
  return Array.isArray(content) ? (content as Block[]) : [];
}
