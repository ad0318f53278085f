/** What stands in place of a summary that OpenClaw asks for and does not get. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensurePatched } from "../harness/openclaw/ensure-release.ts";
import { startOpenClaw, toTranscript, type OpenClawDriver } from "../harness/openclaw/index.ts";
import type { StoredMessage } from "../harness/openclaw/index.ts";
import { startFront, type Front, type FrontRefusal, type FrontStream } from "./front.ts";
import { startProvider, type StrictProvider } from "../harness/providers/index.ts";
import type { Release } from "../src/patching/index.ts";
import { CUT_OFF_OPENING, EXTRACT_NOTE, EXTRACT_OPENING } from "../src/recovery/words.ts";
import { readOrigin } from "../src/transcript/origin.ts";

/** What the model answers that is asked for a summary: `words` has it say "ok 1". */
type Summariser = "words" | "filtered" | "no key" | "cut off" | "late";

const LIMIT = 200_000;

/** The beginning of a summary. */
const SUMMARY = `## Goal\n${"They speak of rivers. ".repeat(60)}and then the`;

/** A stream of Anthropic's that ends at the limit of the answer. */
function cutOff(words: string): string {
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null };
  const events = [
    { type: "message_start", message: { ...message, usage: { input_tokens: 9, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 400 } },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/** A route with a real limit, whose summariser makes no summary, or half of one. */
class Route {
  limit = LIMIT;
  summariser: Summariser = "words";
  summaries = 0;

  answer(text: string): FrontRefusal | FrontStream | undefined {
    const tokens = Math.ceil(text.length / 4);
    if (tokens > this.limit)
      return {
        status: 400,
        type: "invalid_request_error",
        message: `prompt is too long: ${tokens} tokens > ${this.limit} maximum`,
      };
    const { system } = JSON.parse(text) as { system?: unknown };
    if (!JSON.stringify(system ?? "").includes("summarization")) return undefined;
    this.summaries++;
    if (this.summariser === "late") return { stream: "", hangs: true };
    if (this.summariser === "cut off") return { stream: cutOff(SUMMARY) };
    if (this.summariser === "filtered")
      return {
        status: 400,
        type: "invalid_request_error",
        message: "Output blocked by content filtering policy",
      };
    return this.summariser === "no key"
      ? { status: 401, type: "authentication_error", message: "invalid x-api-key" }
      : undefined;
  }
}

/** A conversation of some 225,000 tokens, each message with a word of its own. */
function longTalk(): StoredMessage[] {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 225_000 };
  return Array.from({ length: 100 }, (_, nth) => [
    { role: "user", content: [{ type: "text", text: `ASKED-${nth} ${"the heron reads by the river ".repeat(155)}` }] },
    {
      role: "assistant",
      content: [{ type: "text", text: `SAID-${nth} ${"the boats lie in the harbour ".repeat(155)}` }],
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-opus-4-5",
      stopReason: "stop",
      usage: { ...usage, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
    },
  ]).flat();
}

/** In a patched release. */
export function summaryNotMade(release: Release): void {
  describe(`a summary that is not made, on OpenClaw ${release}`, () => {
    cases(release);
  });
}

function cases(release: Release): void {
  const route = new Route();
  let front: Front;
  let provider: StrictProvider;
  let openclaw: OpenClawDriver;

  beforeAll(async () => {
    const { patched } = await ensurePatched(release);
    provider = await startProvider();
    front = await startFront(provider.url, (body) => route.answer(body));
    const root = join(patched, "../..");
    openclaw = await startOpenClaw({ root, release, providerUrl: front.url, turnTimeoutMs: 120_000 });
  });
  afterAll(async () => {
    await openclaw.close();
    await front.close();
    await provider.close();
  });

  const play = async (summariser: Summariser, limit = LIMIT) => {
    provider.reset();
    route.limit = limit;
    route.summariser = summariser;
    route.summaries = 0;
    const talk = longTalk();
    const transcript = toTranscript(talk, { seed: summariser });
    const messages = ["what now", "and then"];
    const run = await openclaw.run({
      transcript,
      api: "anthropic-messages",
      contextWindow: limit,
      messages,
      ...(summariser === "late" && { compactionSeconds: 8 }),
    });
    const entries = (await run.readTranscript()) as Record<string, unknown>[];
    return { turns: run.turns, entries, extracts: entries.filter(({ details }) => readOrigin(details).extract) };
  };

  it.each(["words", "filtered"] as const)(
    "leaves a list of what was asked and done, in the first turn, and says so once: %s",
    async (summariser) => {
      const { turns, entries, extracts } = await play(summariser);
      expect(route.summaries).toBeGreaterThan(0);
      expect(turns).toMatchObject([{ answered: true }, { answered: true }]);
      expect(turns[0]!.text).toContain(EXTRACT_NOTE);
      expect(turns[1]!.text).not.toContain(EXTRACT_NOTE);
      expect(extracts).toHaveLength(1);
      const sent = JSON.stringify(provider.requests.at(-1)?.body);
      expect(sent).toContain(EXTRACT_OPENING.slice(0, 60));
      expect(sent).toContain("ASKED-0 ");
      const stored = JSON.stringify(entries);
      for (let nth = 0; nth < 100; nth++) expect(stored).toContain(`SAID-${nth} `);
    },
    240_000,
  );

  it.runIf(release === "2026.9.6")(
    "does not come before OpenClaw's timer ends the turn: a list stands in its place",
    async () => {
      const { turns, extracts } = await play("late");
      expect(turns).toMatchObject([{ answered: true }, { answered: true }]);
      expect(turns[0]!.text).toContain(EXTRACT_NOTE);
      expect(extracts).toHaveLength(1);
    },
    240_000,
  );

  it("leaves the conversation as it is where the key is at fault", async () => {
    const { extracts } = await play("no key");
    expect(route.summaries).toBeGreaterThan(0);
    expect(extracts).toEqual([]);
  }, 240_000);

  it("stays where it is cut off, with a list of what was asked and done below it", async () => {
    const { turns, extracts } = await play("cut off");
    expect(turns).toMatchObject([{ answered: true }, { answered: true }]);
    expect(turns[0]!.text).not.toContain(EXTRACT_NOTE);
    expect(extracts).toHaveLength(1);
    const summary = String(extracts[0]!.summary);
    expect(summary).toContain(SUMMARY);
    expect(summary.indexOf(CUT_OFF_OPENING)).toBeGreaterThan(summary.indexOf(SUMMARY));
    expect(summary).toContain("ASKED-0 ");
  }, 240_000);

  it("is no reason to refuse a conversation that has moved to a model with a small window", async () => {
    const { turns, entries } = await play("words", 32_000);
    expect(turns).toMatchObject([{ answered: true }, { answered: true }]);
    expect(JSON.stringify(entries)).toContain("SAID-0 ");
  }, 240_000);
}
