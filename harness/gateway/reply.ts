import type { GatewayEvent } from "./client.ts";

/** What a client got for one message. */
export interface Reply {
  /**
   * Every piece of the answer that was streamed, in order, as the `chat` events had it: each holds all the text so far.
   */
  deltas: string[];
  /** The text of the last closing `chat` event; empty when it had none. */
  finalText: string;
  /** The error that was shown, in OpenClaw's words. */
  error?: string;
  ms: number;
  /**
   * The model's text in the `agent` events, which clients may show as well; attempts of one turn stand one behind the
   * other.
   */
  agentTexts: string[];
  /** When each of these texts came, in ms since the message was sent. */
  agentTimes: number[];
  /** Every event of this run, in order. */
  events: GatewayEvent[];
}

/** Collects the events of one run. */
export class ReplyCollector {
  readonly #runId: string;
  readonly #started = performance.now();
  readonly #reply: Reply = { deltas: [], finalText: "", ms: 0, agentTexts: [], agentTimes: [], events: [] };
  #closed = false;

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** Whether a closing event has come. 2026.2.3 sends it after a failed attempt too, and tries again after that. */
  get closed(): boolean {
    return this.#closed;
  }

  take(event: GatewayEvent): void {
    const { payload } = event;
    if (payload["runId"] !== this.#runId) return;
    this.#reply.events.push(event);
    if (event.event === "agent") this.#takeAgent(payload);
    if (event.event === "chat") this.#takeChat(payload);
  }

  /** What has come until now. */
  result(): Reply {
    return { ...this.#reply, ms: Math.round(performance.now() - this.#started) };
  }

  #takeAgent(payload: Record<string, unknown>): void {
    const text = field(payload["data"], "text");
    if (payload["stream"] !== "assistant" || typeof text !== "string") return;
    this.#reply.agentTexts.push(text);
    this.#reply.agentTimes.push(performance.now() - this.#started);
  }

  #takeChat({ state, message, errorMessage }: Record<string, unknown>): void {
    const text = replyText(message);
    if (state === "delta") this.#reply.deltas.push(text);
    if (state !== "final" && state !== "error" && state !== "aborted") return;
    this.#closed = true;
    if (text) this.#reply.finalText = text;
    if (state === "error")
      this.#reply.error = typeof errorMessage === "string" ? errorMessage : "an error without a text";
    if (state === "aborted") this.#reply.error ??= "aborted";
  }
}

/** The text of a message as the gateway sends it. */
export function replyText(message: unknown): string {
  const content = field(message, "content") ?? field(message, "text");
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block: unknown) => (field(block, "type") === "text" ? String(field(block, "text")) : ""))
    .join("");
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
