import { setTimeout as sleep } from "node:timers/promises";
import {
  sameRequestTwice,
  type RecordedRequest,
  type Step,
  type StrictProvider,
} from "../../harness/providers/index.ts";
import { toTranscript, type ModelApi } from "../../harness/openclaw/index.ts";
import { FOUND, HEALTHY } from "../../harness/openclaw/samples.ts";
import { executed, quickResult, traceLines, type Executed } from "../../harness/openclaw/traced-calls.ts";
import { locatePieces, readStored, type Place } from "./kept.ts";
import { SLOW_SECONDS, type Scenario } from "./scenarios.ts";
import type { Conversation, Mode, Shown, Talk } from "./talk.ts";

/** Which OpenClaw was measured. */
export interface Subject {
  release: string;
  variant: "stock" | "patched";
  mode: Mode;
}

/** What became of one scenario. */
export interface Measurement extends Subject {
  id: string;
  title: string;
  api: ModelApi;
  /** What the person saw for the faulty turn. */
  shown: Shown;
  /** How many requests the provider got for it. */
  requests: number;
  /** Whether two of them asked the same; a retry after a broken connection rightly does. */
  sameTwice: boolean;
  /** Requests that OpenClaw made on its own after a kill, before the next message. */
  resumed: number;
  /** The three messages after it. */
  next: { answered: boolean; text: string; requests: number }[];
  /** What the scenario's call did. */
  executed: Executed;
  /** Where each user text and each finished tool result is at the end. */
  places: [string, Place][];
  /** Set when it could not be measured, with the reason. */
  failed?: string;
}

const STORED_PIECES = ["read a.txt", FOUND, "It is read."];
const FAULTY = "the message of the faulty turn";
const NEXT = ["first message after it", "second message after it", "third message after it"];

/** Every piece of a conversation names its scenario, because one store holds them all. */
function tagged(piece: string, { api, id }: Scenario): string {
  return `${piece} (${api} ${id})`;
}

/** The history that a conversation begins with: a question, a call of a tool, its result, an answer. */
export function makeTranscript(scenario: Scenario): string {
  return STORED_PIECES.reduce(
    (text, piece) => text.replaceAll(piece, tagged(piece, scenario)),
    toTranscript(HEALTHY, { seed: tagged("", scenario) }),
  );
}

const TRACE_TIMEOUT_MS = 60_000;
// The latest release takes an interrupted turn up again 14 s after its start.
const RESUME_MS = 25_000;

/** Plays one scenario in a conversation of its own, then sends three messages that the provider answers. */
export async function measure(
  scenario: Scenario,
  talk: Talk,
  provider: StrictProvider,
  subject: Subject,
): Promise<Measurement> {
  const trace = `trace-${scenario.api}-${scenario.id}.txt`;
  const { id, title, api } = scenario;
  const conversation = await talk.begin(api, makeTranscript(scenario));
  const setUp = (...steps: Step[]): void => {
    provider.reset();
    scenario.lasting?.(provider, tagged(FAULTY, scenario));
    provider.script(...steps);
  };
  setUp(...scenario.steps(trace));
  const shown = scenario.kill
    ? await killedTurn(conversation, talk, tagged(FAULTY, scenario), trace)
    : await said(conversation, tagged(FAULTY, scenario));
  const faulty = taken(provider);
  if (scenario.kill) await talk.revive();
  const resumed = scenario.kill && talk.mode === "gateway" ? await resumedRequests(provider) : 0;
  const next: Measurement["next"] = [];
  let last: RecordedRequest | undefined;
  for (const [at, message] of NEXT.entries()) {
    const answer = `the answer to number ${at + 1}`;
    setUp({ kind: "text", text: answer, times: Infinity });
    const { text } = await said(conversation, tagged(message, scenario));
    const requests = taken(provider);
    last = requests.at(-1) ?? last;
    next.push({ answered: text.includes(answer), text, requests: requests.length });
  }
  // Orphans of a kill go on.
  if (scenario.kill) await sleep(SLOW_SECONDS * 1_000);
  const pieces: [string, string][] = [...STORED_PIECES, FAULTY, ...NEXT].map((piece) => [
    piece,
    tagged(piece, scenario),
  ]);
  if (scenario.quick) pieces.push(["the result of the finished tool", quickResult(trace)]);
  const places = locatePieces(
    pieces.map(([, text]) => text),
    last?.raw ?? "",
    readStored(talk.stateDir),
  );
  return {
    ...subject,
    id,
    title,
    api,
    shown,
    resumed,
    next,
    requests: faulty.length,
    sameTwice: sameRequestTwice(faulty) !== undefined,
    executed: executed(talk.workspaceDir, trace, scenario.kill ?? false),
    places: pieces.map(([piece, text]) => [piece, places.get(text) ?? "lost"]),
  };
}

/** A turn that rejects is one that the person saw fail. */
async function said(conversation: Conversation, message: string): Promise<Shown> {
  const started = performance.now();
  try {
    return await conversation.send(message);
  } catch (error) {
    return {
      text: `(${error instanceof Error ? error.message : String(error)})`,
      ms: Math.round(performance.now() - started),
    };
  }
}

/** Kills OpenClaw once the command has begun, and every other of the turn is done. */
async function killedTurn(conversation: Conversation, talk: Talk, message: string, trace: string): Promise<Shown> {
  const turn = said(conversation, message);
  const end = performance.now() + TRACE_TIMEOUT_MS;
  while (traceLines(talk.workspaceDir, trace).length === 0) {
    if (performance.now() > end)
      throw new Error(
        `expected the command to begin within ${TRACE_TIMEOUT_MS} ms; it did not, the turn gave: ${JSON.stringify(await turn)}`,
      );
    await sleep(50);
  }
  // Time for the quick call beside it, and for what OpenClaw stores of it.
  await sleep(2_000);
  await talk.kill();
  await turn;
  return { text: "(killed)", ms: 0 };
}

/** How many requests a gateway that was started again makes by itself. */
async function resumedRequests(provider: StrictProvider): Promise<number> {
  provider.reset();
  const end = performance.now() + RESUME_MS;
  while (provider.requests.length === 0 && performance.now() < end) await sleep(200);
  // Lets a turn that began come to its end.
  if (provider.requests.length > 0) await sleep(3_000);
  return provider.requests.length;
}

function taken(provider: StrictProvider): RecordedRequest[] {
  return [...provider.requests];
}
