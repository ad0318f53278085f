import { BASE_RELEASES } from "./releases.ts";
import {
  entryId,
  toTranscript,
  type ModelApi,
  type RunInput,
  type RunResult,
  type StoredMessage,
  type TranscriptEntry,
} from "./index.ts";
import { makeMakers, user } from "./samples.ts";
import type { RecordedRequest, ToolCallSpec } from "../providers/index.ts";
import { startLive, type Live } from "./live.ts";

/**
 * The releases that the moves are tested on: the base releases, or others that are installed and patched, by
 * `OPENCLAW_RELEASES=2026.4.29,2026.8.2`.
 */
export const RELEASES: readonly string[] = process.env.OPENCLAW_RELEASES?.split(",") ?? BASE_RELEASES;

/** The plugin's configuration where agents may travel. */
export const MAY_TRAVEL = { timeTravel: { enabled: true } };

/** A patched OpenClaw with the plugin, driven in-process, whose agents may travel. */
export async function startTravelling(release: string): Promise<Live> {
  return startLive(release, "patched", MAY_TRAVEL);
}

/** What is offered to the agent. */
export const TOOLS: readonly string[] = ["read", "exec", "tobe", "timeline"];

/** The places of {@link threeTurns}, by what they are. */
export const PLACE = {
  firstQuestion: entryId("transcript", 0),
  openCalls: entryId("transcript", 1),
  firstResult: entryId("transcript", 2),
  lastResult: entryId("transcript", 3),
  firstAnswer: entryId("transcript", 4),
  secondQuestion: entryId("transcript", 5),
  secondAnswer: entryId("transcript", 6),
  thirdQuestion: entryId("transcript", 7),
  thirdAnswer: entryId("transcript", 8),
} as const;

/** Three turns, the first with two calls at once; `more` says what else the session is. */
export function threeTurns(api: ModelApi, more: Partial<RunInput> = {}): RunInput {
  return { transcript: toTranscript(makeMessages(api)), api, tools: [...TOOLS], messages: [], ...more };
}

/** The messages of {@link threeTurns}; the words in them are those that tests look for. */
export function makeMessages(api: ModelApi): StoredMessage[] {
  const { assistant, call, result } = makeMakers(api);
  const says = (text: string): StoredMessage => assistant([{ type: "text", text }]);
  return [
    user("question-one"),
    assistant([{ type: "text", text: "two at once" }, call(1), call(2)], "toolUse"),
    result(1, "alpha-content"),
    result(2, "beta-content"),
    says("answer-one"),
    user("question-two"),
    says("answer-two"),
    user("question-three"),
    says("answer-three"),
  ];
}

export function tobe(target: string, carryover_message: string): ToolCallSpec {
  return { name: "tobe", arguments: { target, carryover_message } };
}

/** An answered message of the left branch, as a carryover quotes it. */
const QUOTED_AGAIN = /\\n> - (?:more-)?question-[\w-]+/g;

/** Which of these words a request holds, in the order given; in its carryover only what is still to be answered. */
export function wordsIn(request: RecordedRequest | undefined, words: readonly string[]): string[] {
  const said = request?.raw.replaceAll(QUOTED_AGAIN, "");
  return words.filter((word) => said?.includes(word));
}

/** Everything that is said in {@link threeTurns}. */
export const WORDS = [
  "question-one",
  "alpha-content",
  "beta-content",
  "answer-one",
  "question-two",
  "answer-two",
  "question-three",
  "answer-three",
];

/** The stored carryovers, oldest first. */
export async function carryovers(run: RunResult): Promise<TranscriptEntry[]> {
  return (await run.readTranscript()).filter(({ customType }) => customType === "openclaw-integrity:carryover");
}

/** The text of the last carryover in a request of Anthropic's API; empty without one. */
export function carriedIn({ body }: RecordedRequest): string {
  const { messages } = body as { messages: { content: string | { text?: string }[] }[] };
  const texts = messages.flatMap(({ content }) =>
    typeof content === "string" ? [content] : content.map(({ text = "" }) => text),
  );
  return texts.findLast((text) => /^\[(?:Carryover:|The operator took)/m.test(text)) ?? "";
}
