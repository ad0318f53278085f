import type { RecordedRequest } from "../../harness/providers/index.ts";

/** What the tools of a conversation have answered, in order: their JSON, or the text of an error. */
export function toolResults({ body }: RecordedRequest): Record<string, unknown>[] {
  const { messages } = body as { messages: { content: unknown }[] };
  const blocks = messages.flatMap(({ content }) =>
    Array.isArray(content) ? (content as { type: string; content?: unknown }[]) : [],
  );
  return blocks
    .filter(({ type }) => type === "tool_result")
    .map(({ content }) => {
      const text = Array.isArray(content) ? String((content[0] as { text?: unknown }).text) : String(content);
      try {
        return JSON.parse(text) as Record<string, unknown>;
      } catch {
        return { error: text };
      }
    });
}
