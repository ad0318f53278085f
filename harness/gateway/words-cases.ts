/** That a message of a person ends in words, whatever a model or a provider answers. */
import { describe, expect, it } from "vitest";
import { says, user } from "../messages.ts";
import { WORKSPACE_NOTE } from "../openclaw/index.ts";
import { toTranscript } from "../openclaw/transcript.ts";
import type { Front, Step } from "../providers/index.ts";
import { OWNER, say } from "./people.ts";
import type { Peopled } from "./peopled.ts";

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
];

const WAYS = ["channel", "client"] as const;
type Way = (typeof WAYS)[number];
const makeKey = (at: number, by: Way): string => `agent:main:words-${at}-${by}`;

/** The histories that the conversations begin with, by their keys. */
export const HISTORIES: readonly (readonly [key: string, history: string])[] = KINDS.flatMap(({ history }, at) =>
  history === undefined ? [] : WAYS.map((by) => [makeKey(at, by), history] as const),
);

/** What a person is told over a channel or a client, behind those kinds of answers whose names fit. */
export function endsInWords(peopled: Peopled, by: Way, kinds = /./): void {
  const played = KINDS.map((kind, at) => ({ ...kind, at })).filter(
    ({ name, isCommand }) => kinds.test(name) && (by === "channel" || isCommand === undefined),
  );
  describe(`a person's message over a ${by} ends in words`, () => {
    it.each(played)("behind $name", async ({ at, steps = [], front, text = "hello", words }) => {
      const { provider } = peopled;
      provider.script(...steps);
      if (front !== undefined) provider.front(front);
      const heard = await ask(peopled, by, makeKey(at, by), text);
      expect(heard).toMatch(words);
      expect(heard).not.toMatch(/NO_REPLY/);
      // And the next one is answered.
      provider.reset();
      if (front === tooLarge || front === withoutSummariser) provider.front(front);
      expect(await ask(peopled, by, makeKey(at, by), "and now?")).toMatch(MODEL);
    });
  });
}

/** The same behind tools without an end; on all ways at once, for it takes until the time limit of a turn. */
export function endsInWordsInTime(peopled: Peopled): void {
  it("a person's message ends in words behind a tool loop until the time limit, over a channel and a client", async () => {
    const ways = WAYS.map((by) => [by, makeKey(KINDS.length, by)] as const);
    peopled.provider.script(always(WAITS));
    for (const heard of await Promise.all(ways.map(([by, key]) => ask(peopled, by, key, "hello"))))
      expect(heard).toMatch(/time limit|timed out|Exec failed/i);
    peopled.provider.reset();
    for (const [by, key] of ways) expect(await ask(peopled, by, key, "and now?")).toMatch(MODEL);
  });
}

/** What a person has seen at last; 2026.2.3 ends a client's turn with the first attempt, and shows the next ones too. */
async function ask({ gateway }: Peopled, by: Way, key: string, text: string): Promise<string> {
  if (by === "channel") return await say(gateway, OWNER, text, key);
  const { error, finalText, agentTexts } = await gateway.send(key, text);
  return error ?? (finalText || (agentTexts.at(-1) ?? ""));
}
