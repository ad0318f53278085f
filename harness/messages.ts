/**
 * Messages as OpenClaw stores them, with no more in them than a history needs. With model and usage: samples.ts in
 * openclaw/. Rows of transcripts and bodies of APIs have builders of their own in corpus/.
 */
import type { StoredMessage } from "./openclaw/transcript.ts";

export const text = (words: string): StoredMessage => ({ type: "text", text: words });

export const user = (words: string): StoredMessage => ({ role: "user", content: [text(words)] });

/** The same with a text as its content, which OpenClaw stores too. */
export const userText = (words: string): StoredMessage => ({ role: "user", content: words });

/** An answer with these blocks, whose `stopReason` says whether tools are called in it. */
export function assistant(...content: readonly unknown[]): StoredMessage {
  const isCalling = content.some((block) => (block as StoredMessage | null)?.["type"] === "toolCall");
  return { role: "assistant", content, stopReason: isCalling ? "toolUse" : "stop" };
}

export const says = (...words: string[]): StoredMessage => assistant(...words.map(text));

/** A call of the tool `read`, or of another one. */
export const call = (id: unknown, name = "read"): StoredMessage => ({
  type: "toolCall",
  id,
  name,
  arguments: { path: `${String(id)}.txt` },
});

export const calls = (...ids: string[]): StoredMessage => assistant(...ids.map((id) => call(id)));

/** What the tool `read` gave back; `more` has what is otherwise. */
export const result = (
  toolCallId: unknown,
  words = `found ${String(toolCallId)}`,
  more: StoredMessage = {},
): StoredMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [text(words)],
  isError: false,
  ...more,
});
