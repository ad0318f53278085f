import { readFileSync } from "node:fs";
import { createServer, request as forward, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensurePatched } from "../harness/openclaw/ensure-release.ts";
import type { Release } from "../src/patching/index.ts";
import { transcriptPath } from "../harness/corpus/case.ts";
import { startOpenClaw, type OpenClawDriver } from "../harness/openclaw/index.ts";
import { BASE_RELEASES } from "../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../harness/providers/index.ts";

/** Corrupt histories whose damage lies where a summariser would find it. */
const CASES = ["q-incident-message-32", "x-long-session-many-wounds"];

/** The transcript with so much said in every text that there is something to summarise. */
function wordy(transcript: string): string {
  return transcript.replaceAll(
    /"text":"([^"\\]{3,})"/g,
    (_all, text: string) => `"text":"${text}${" and so on".repeat(300)}"`,
  );
}

/**
 * Stands before the strict provider and finds the first request of each session too long, so that OpenClaw compacts.
 */
class Overflowing {
  #server: Server | undefined;
  /** Whether the next request is refused. */
  next = false;
  refused = 0;
  async start(target: string): Promise<string> {
    this.#server = createServer((incoming, outgoing) => {
      if (this.next) {
        this.next = false;
        this.refused++;
        incoming.resume();
        outgoing.writeHead(400, { "content-type": "application/json" });
        outgoing.end(
          JSON.stringify({
            type: "error",
            error: { type: "invalid_request_error", message: "prompt is too long: 214000 tokens > 200000 maximum" },
          }),
        );
        return;
      }
      const passed = forward(
        target + (incoming.url ?? "/"),
        { method: incoming.method, headers: incoming.headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      incoming.pipe(passed);
    });
    await new Promise<void>((resolve) => this.#server!.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  async close(): Promise<void> {
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}

describe.each(BASE_RELEASES)("compaction on OpenClaw %s", (release) => {
  const overflowing = new Overflowing();
  let provider: StrictProvider;
  let openclaw: OpenClawDriver;
  const lines: string[] = [];

  beforeAll(async () => {
    const { patched } = await ensurePatched(release as Release);
    provider = await startProvider();
    const providerUrl = await overflowing.start(provider.url);
    openclaw = await startOpenClaw({
      root: join(patched, "../.."),
      release,
      providerUrl,
      log: (line) => lines.push(line),
      turnTimeoutMs: 60_000,
    });
  });
  afterAll(async () => {
    await openclaw.close();
    await overflowing.close();
    await provider.close();
  });

  it.each(CASES)(
    "a corrupt session that has become too long is summarised, and no request of it refused: %s",
    async (id) => {
      provider.reset();
      overflowing.next = true;
      overflowing.refused = 0;
      const { turns } = await openclaw.run({
        transcript: wordy(readFileSync(transcriptPath(id), "utf8")),
        api: "anthropic-messages",
        messages: ["one more", "and another"],
      });
      // Whether the turn itself is answered depends on OpenClaw's liking for the summary, which here says only "ok 1".
      expect(turns[1]).toMatchObject({ answered: true });
      expect(overflowing.refused).toBe(1);
      // The summariser's requests and the turns' own.
      expect(provider.requests.length).toBeGreaterThanOrEqual(3);
      expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([]);
    },
  );
});
