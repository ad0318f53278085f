import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Characters of a token. */
const PER_TOKEN = 4;

/** One request that came. */
export interface Asked {
  readonly isSummary: boolean;
  readonly tokens: number;
  readonly status: number;
}

/** A provider with the form of Anthropic's API that refuses every request of more tokens than it takes. */
export interface LimitedProvider {
  readonly url: string;
  /** The requests since this was last emptied. */
  readonly asked: Asked[];
  close(): Promise<void>;
}

/** Starts one. With `summarises` false it refuses each request for a summary, whatever its size. */
export async function startLimited(limit: number, summarises: boolean): Promise<LimitedProvider> {
  const asked: Asked[] = [];
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.on("end", () => {
      const text = Buffer.concat(parts).toString();
      if (!incoming.url?.includes("/messages")) return void outgoing.writeHead(404).end("{}");
      const tokens = Math.ceil(text.length / PER_TOKEN);
      const isSummary = isForSummary(text);
      const refusal =
        tokens > limit
          ? `prompt is too long: ${tokens} tokens > ${limit} maximum`
          : isSummary && !summarises
            ? "Output blocked by content filtering policy"
            : undefined;
      asked.push({ isSummary, tokens, status: refusal === undefined ? 200 : 400 });
      if (refusal === undefined) answer(outgoing, isSummary ? SUMMARY : `ACCEPTED ${asked.length}`, tokens);
      else {
        outgoing.writeHead(400, { "content-type": "application/json" });
        outgoing.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: refusal } }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const SUMMARY =
  "## Goal\nTo talk.\n\n## Decisions\nNone.\n\n## Open TODOs\nNone.\n\n## Constraints/Rules\nNone.\n\n## Pending user asks\nNone.\n\n## Exact identifiers\nNone.\n";

/** OpenClaw's request for a summary says so in its system prompt, or, without tools, in its last words. */
function isForSummary(text: string): boolean {
  const { system, tools, messages } = JSON.parse(text) as { system?: unknown; tools?: unknown[]; messages?: unknown };
  if (/summari[sz]ation assistant|context summar/i.test(JSON.stringify(system ?? ""))) return true;
  return !tools?.length && /structured context checkpoint|summari[sz]e/i.test(JSON.stringify(messages).slice(-6000));
}

function answer(outgoing: ServerResponse, text: string, tokens: number): void {
  const event = (type: string, fields: object): void =>
    void outgoing.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  event("message_start", {
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      usage: { input_tokens: tokens, output_tokens: 1 },
    },
  });
  event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  event("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
  event("content_block_stop", { index: 0 });
  event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 10 } });
  event("message_stop", {});
  outgoing.end();
}
