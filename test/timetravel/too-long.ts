import type { ExtraRule } from "../../harness/providers/index.ts";

/** Long enough that a history of six such texts is worth a compaction. */
export const LONG = " and so on".repeat(3000);

/** A history with so much said in every text that there is something to compact. */
export function wordy(transcript: string): string {
  return transcript.replaceAll(/"text":"([^"\\]{3,})"/g, (_all, text: string) => `"text":"${text}${LONG}"`);
}

/** Finds the agent's requests after its first batch of calls too long, until the history has been compacted. */
export function tooLongAfter(isAfter: (messages: string) => boolean): ExtraRule {
  return {
    name: "too-long",
    check(_api, body) {
      const { tools, messages } = body as { tools?: unknown[]; messages: unknown };
      const text = JSON.stringify(messages);
      return tools?.length && isAfter(text) && text.includes(`question-one${LONG}`)
        ? { status: 400, message: "prompt is too long: 214000 tokens > 200000 maximum", path: "" }
        : undefined;
    },
  };
}
