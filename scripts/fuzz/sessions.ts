import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { listTargets, writtenBy } from "../../harness/adapters/targets.ts";
import { healthyFrom } from "../../harness/arbitrary/history.ts";
import type { ModelApi } from "../../harness/corpus/case.ts";
import { toTranscript, type StoredMessage } from "../../harness/openclaw/index.ts";
import { signThinking } from "../../harness/providers/index.ts";

/** A healthy session and how it is run. */
export interface HealthySession {
  name: string;
  /** Whether a real installation has stored it: it may be refused without the patch, by a rule of another API. */
  isCaptured: boolean;
  api: ModelApi;
  transcript: string;
  /** Whether the model thinks, so that thinking in the history is sent on. */
  thinking: boolean;
  messages: number;
}

/** The smallest picture that a provider takes: one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function toBlocks(message: StoredMessage): Record<string, unknown>[] {
  const { content } = message;
  return Array.isArray(content) ? (content as Record<string, unknown>[]) : [{ type: "text", text: content }];
}

/** A picture beside the text of every third user message. */
function withPictures(messages: StoredMessage[]): StoredMessage[] {
  let users = 0;
  return messages.map((message) => {
    if (message["role"] !== "user" || users++ % 3 !== 0) return message;
    return { ...message, content: [...toBlocks(message), { type: "image", data: PIXEL, mimeType: "image/png" }] };
  });
}

/** What an API's own model leaves as the signature of its thinking. */
function signature(api: ModelApi, thinking: string, position: number): string {
  if (api !== "openai-responses") return signThinking(thinking);
  const id = `rs_${position.toString(16).padStart(32, "0")}`;
  return JSON.stringify({
    type: "reasoning",
    id,
    summary: [{ type: "summary_text", text: thinking }],
    encrypted_content: signThinking(thinking),
  });
}

/** Signed thinking before every answer of the model. */
function withThinking(messages: StoredMessage[], api: ModelApi): StoredMessage[] {
  return messages.map((message, position) => {
    if (message["role"] !== "assistant") return message;
    const thinking = `thought ${position} through`;
    return {
      ...message,
      content: [
        { type: "thinking", thinking, thinkingSignature: signature(api, thinking, position) },
        ...toBlocks(message),
      ],
    };
  });
}

/**
 * The healthy session of that number for one of the APIs: 1 to 24 turns, some with pictures, some with signed thinking.
 */
function healthySession(seed: number, apis: readonly ModelApi[]): HealthySession {
  const api = apis[seed % apis.length]!;
  const round = Math.floor(seed / apis.length);
  const turns = 1 + ((round * 7) % 24);
  // Names with a dot are healthy in the store only.
  const plain = JSON.parse(
    JSON.stringify(healthyFrom(seed, turns)).replaceAll("calendar.list", "calendar_list"),
  ) as StoredMessage[];
  let messages = writtenBy(listTargets(api)[0]!, plain) as StoredMessage[];
  if (round % 3 === 1) messages = withPictures(messages);
  // Chat completions have no signed thinking.
  const thinking = round % 2 === 1 && api !== "openai-completions";
  if (thinking) messages = withThinking(messages, api);
  return {
    name: `${seed}`,
    isCaptured: false,
    api,
    thinking,
    messages: messages.length,
    transcript: toTranscript(messages, { seed: `control-${seed}` }),
  };
}

const CAPTURED = fileURLToPath(new URL("../../harness/corpus/healthy/", import.meta.url));

/** The healthy sessions of real installations, each on every API. */
export function capturedSessions(apis: readonly ModelApi[]): HealthySession[] {
  return readdirSync(CAPTURED)
    .toSorted()
    .flatMap((name) => {
      const transcript = readFileSync(CAPTURED + name, "utf8");
      const messages = transcript.match(/^\{"type":"message"/gm)!.length;
      return apis.map((api) => ({ name, isCaptured: true, api, thinking: false, messages, transcript }));
    });
}

/** The healthy sessions of these numbers. */
export function healthySessions(from: number, to: number, apis: readonly ModelApi[]): HealthySession[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => healthySession(from + at, apis));
}
