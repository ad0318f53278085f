import { makeStream } from "../played/envelopes.ts";
import { makeMark, makeTurns, type PlayedCase } from "../played/case.ts";
import { answer, makeCase, madeBy, user } from "../played/rows.ts";
import type { StoredMessage } from "../openclaw/transcript.ts";
import type { ModelApi } from "../openclaw/types.ts";
import type { Front, FrontAnswer } from "../providers/index.ts";

const started = (tokens: number): object => ({
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-4-5",
    content: [],
    stop_reason: null,
    usage: { input_tokens: tokens, output_tokens: 0 },
  },
});
const ended = (tokens: number): object[] => [
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: tokens } },
  { type: "message_stop" },
];

const chunk = (choices: object[], more: object = {}): object => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt-4.1",
  choices,
  ...more,
});

const CHAT = makeStream(
  [
    chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: "stop" }], {
      usage: { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 },
    }),
  ],
  false,
);
/** Ended well, with nothing in it. */
const EMPTY: readonly (readonly [ModelApi, FrontAnswer])[] = [
  ["anthropic-messages", makeStream([started(0), ...ended(0)])],
  ["openai-completions", { ...CHAT, body: `${String(CHAT.body)}data: [DONE]\n\n` }],
  [
    "google-generative-ai",
    makeStream(
      [
        {
          candidates: [{ content: { role: "model" }, finishReason: "STOP", index: 0 }],
          usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
          modelVersion: "gemini-2.5-pro",
        },
      ],
      false,
    ),
  ],
];

const THINKING_ONLY = makeStream([
  started(10),
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "The answer is 42." } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "EqoBCkgIAAAA" } },
  { type: "content_block_stop", index: 0 },
  ...ended(12),
]);

const first =
  (says: FrontAnswer, times = 1): Front =>
  ({ nth }) =>
    nth < times ? says : undefined;

function silent(id: string, title: string, report: string, api: ModelApi, front: Front, thinking = false): PlayedCase {
  const tag = id.replaceAll("-", "");
  const rows = [user(`Q ${makeMark(tag, "q1")}`), answer(madeBy(api), makeMark(tag, "a1"))];
  return makeCase(
    { id, title, report },
    rows,
    { api, ...(thinking && { thinking }) },
    makeTurns(tag, [{ front }, {}, { front }, {}]),
  );
}

function mirrors(): PlayedCase {
  const [api, tag] = ["anthropic-messages", "mirrors"] as const;
  const origin = madeBy(api);
  const mirror = { api: "openai-responses", provider: "openclaw", model: "delivery-mirror" };
  const rows = Array.from({ length: 4 }, (_, n): StoredMessage[] => [
    user(`Q${n} ${makeMark(tag, `q${n}`)}`),
    answer(origin, makeMark(tag, `a${n}`)),
    answer(mirror, `mirror ${n}`),
    user(`silent ${n} ${makeMark(tag, `s${n}`)}`),
    answer(origin, "NO_REPLY"),
  ]).flat();
  const read = { kind: "tool", calls: [{ name: "read", arguments: { path: "note.txt" } }] } as const;
  const steps = [
    { ...read, calls: [...read.calls] },
    { ...read, calls: [...read.calls] },
  ];
  const told = {
    id: "tool-loop-behind-mirrors",
    title: "a tool loop behind rows of the transcript only",
    report: "openclaw#146331",
  };
  return makeCase(told, rows, { api }, makeTurns(tag, [{ steps }, {}]));
}

/** Answers that end well and say nothing, and a loop of tools in an odd history. */
export const ANSWER_REPORTS: readonly PlayedCase[] = [
  ...EMPTY.flatMap(([api, says]) => [
    silent(
      `empty-answer-${api.split("-")[0]}`,
      "an answer with nothing in it, once",
      "openclaw#71880",
      api,
      first(says),
    ),
    silent(
      `empty-twice-${api.split("-")[0]}`,
      "an answer with nothing in it, twice",
      "openclaw#71880",
      api,
      first(says, 2),
    ),
  ]),
  silent(
    "thinking-only",
    "nothing but thinking, once",
    "openclaw#82394",
    "anthropic-messages",
    first(THINKING_ONLY),
    true,
  ),
  mirrors(),
];
