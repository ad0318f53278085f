import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { says, user } from "../messages.ts";
import { WORKSPACE_NOTE } from "../openclaw/index.ts";
import { BASE_RELEASES, releasesFolder } from "../openclaw/releases.ts";
import { toTranscript } from "../openclaw/transcript.ts";
import { patience } from "../patience.ts";
import { startProvider, type Front, type Step, type StrictProvider } from "../providers/index.ts";
import { openGateway, type Gateway } from "./index.ts";
import { OWNER, OWNERS_ENTRY, say, settingsWithPeople } from "./people.ts";

const MODEL = /^ok \d+/;
const READS: Step = { kind: "tool", calls: [{ name: "read", arguments: { path: WORKSPACE_NOTE.path } }] };
const WAITS: Step = { kind: "tool", calls: [{ name: "exec", arguments: { command: "sleep 1" } }] };
const EMPTY: Step = { kind: "text", text: "" };
const THINKS: Step = { kind: "text", text: "", thinking: "let me see" };
const SILENT: Step = { kind: "text", text: "NO_REPLY" };
const always = (step: Step): Step => ({ ...step, times: Infinity });

/** An answer of Anthropic's that ends where the context window does. */
const windowFull = (text: string): Front => {
  const events = [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 9, output_tokens: 1 },
      },
    },
    ...(text === ""
      ? []
      : [
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
          { type: "content_block_stop", index: 0 },
        ]),
    {
      type: "message_delta",
      delta: { stop_reason: "model_context_window_exceeded", stop_sequence: null },
      usage: { output_tokens: 9 },
    },
    { type: "message_stop" },
  ];
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return () => ({ status: 200, contentType: "text/event-stream", body });
};

const WINDOW = 40_000;
const isSummary = (body: object): boolean =>
  "system" in body && /summarization assistant/.test(JSON.stringify(body.system));
const tooLarge: Front = ({ body }) =>
  JSON.stringify(body["messages"]).length <= WINDOW
    ? undefined
    : {
        status: 400,
        body: {
          type: "error",
          error: { type: "invalid_request_error", message: "prompt is too long: 214000 tokens > 200000 maximum" },
        },
      };
const withoutSummariser: Front = (request) =>
  isSummary(request.body)
    ? { status: 500, body: { type: "error", error: { type: "api_error", message: "Internal server error" } } }
    : tooLarge(request);

/** A history that is larger than the window. */
const LARGE = toTranscript(
  Array.from({ length: 20 }, (_none, at) => [
    user(`question ${at}`),
    says(`answer ${at} ${"and so on ".repeat(500)}`),
  ]).flat(),
);

interface Kind {
  readonly name: string;
  readonly steps?: readonly Step[];
  readonly front?: Front;
  readonly history?: string;
  readonly text?: string;
  /** Only on a channel: 2026.2.3 takes no commands of clients, and says nothing to them. */
  readonly isCommand?: true;
  /** What the person reads. */
  readonly words: RegExp;
}

const KINDS: readonly Kind[] = [
  { name: "an empty answer", steps: [EMPTY], words: MODEL },
  { name: "nothing but empty answers", steps: [always(EMPTY)], words: /try again|again|\/new/i },
  { name: "nothing but thinking", steps: [always(THINKS)], words: /again|\/new/i },
  { name: "an empty answer behind a tool", steps: [READS, EMPTY], words: MODEL },
  { name: "the sign of silence", steps: [SILENT], words: MODEL },
  { name: "nothing but the sign of silence", steps: [always(SILENT)], words: /another way|again/i },
  { name: "a full window behind words", front: windowFull("half an answer"), words: /half an answer/ },
  { name: "a full window before any word", front: windowFull(""), words: /again|\/new|\/compact|less/i },
  { name: "a large history", history: LARGE, front: tooLarge, words: MODEL },
  {
    name: "a large history and no summary",
    history: LARGE,
    front: withoutSummariser,
    words: /^ok \d+|send your message again|try again|\/new|\/compact/i,
  },
  {
    name: "a compaction that gets no summary",
    history: LARGE,
    front: withoutSummariser,
    text: "/compact",
    isCommand: true,
    words: /compact/i,
  },
  { name: "a tool loop until the time limit", steps: [always(WAITS)], words: /time limit|timed out|Exec failed/i },
];

describe.each(BASE_RELEASES)("a person's message to a patched gateway of OpenClaw %s ends in words", (release) => {
  const root = join(releasesFolder(), release, "patched");
  const keyOf = (at: number, by: string): string => `agent:main:words-${at}-${by}`;
  let provider: StrictProvider;
  let gateway: Gateway;
  beforeAll(async () => {
    provider = await startProvider();
    const { settings, env } = settingsWithPeople(join(root, "node_modules", "openclaw", "dist"), [OWNERS_ENTRY]);
    gateway = await openGateway({
      root,
      release,
      providerUrl: provider.url,
      tools: ["read", "exec"],
      scopes: ["operator.read", "operator.write", "operator.admin"],
      timeoutSeconds: Math.ceil(patience(8000) / 1000),
      settings,
      env,
    });
    for (const [at, { history }] of KINDS.entries())
      if (history !== undefined) for (const by of ["channel", "client"]) await gateway.seed(keyOf(at, by), history);
    await gateway.start();
  });
  afterAll(async () => {
    await gateway?.close();
    await provider?.close();
  });
  beforeEach(() => provider.reset());

  const kinds = KINDS.map((kind, at) => ({ ...kind, at }));
  describe.each(["channel", "client"] as const)("over a %s", (by) => {
    it.each(kinds.filter(({ isCommand }) => by === "channel" || isCommand === undefined))(
      "behind $name",
      async ({ at, steps = [], front, text = "hello", words }) => {
        provider.script(...steps);
        if (front !== undefined) provider.front(front);
        const key = keyOf(at, by);
        const heard = by === "channel" ? await say(gateway, OWNER, text, key) : await sent(key, text);
        expect(heard).toMatch(words);
        expect(heard).not.toMatch(/NO_REPLY/);
        // And the next one is answered.
        provider.reset();
        if (front === tooLarge || front === withoutSummariser) provider.front(front);
        expect(by === "channel" ? await say(gateway, OWNER, "and now?", key) : await sent(key, "and now?")).toMatch(
          MODEL,
        );
      },
    );
  });

  /** What a client has seen at last; 2026.2.3 ends its turn with the first attempt, and shows it the next ones too. */
  async function sent(key: string, text: string): Promise<string> {
    const { error, finalText, agentTexts } = await gateway.send(key, text);
    return error ?? (finalText || (agentTexts.at(-1) ?? ""));
  }
});
