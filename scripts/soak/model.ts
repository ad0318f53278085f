import { existsSync } from "node:fs";
import { join } from "node:path";
import { prepareCall, type Places } from "../chaos/calls.ts";
import {
  conversationStrings,
  type FaultName,
  type FrontAnswer,
  type FrontRequest,
  type RecordedRequest,
  type Step,
  type StrictProvider,
  type ToolCallSpec,
} from "../../harness/providers/index.ts";
import { CUT_BEGINNING_OPENING, CUT_OFF_OPENING, EXTRACT_OPENING, REFUSED_RESULT } from "../../src/recovery/words.ts";
import { makeRandom } from "../../harness/random.ts";
import { encodePng } from "../../harness/png.ts";
import type { MessagePlan, Round, SoakFault } from "./actions.ts";
import { isWeak, PROXY_REFUSAL, refuse } from "./endpoint.ts";
import { shortId } from "../../src/transcript/json/hash.ts";
import { toldWrongly } from "./told.ts";
import { answerTo, outcomesIn, makeTag, tagsIn } from "./tags.ts";

/** What is kept of a request: what it said, and what became of it. */
export interface SeenRequest {
  conversation: string;
  at: number;
  /** Names of the conversation's messages that it has. */
  messages: ReadonlySet<string>;
  /** Those of them whose picture it has. */
  pictures: ReadonlySet<string>;
  /** Calls whose results it has. */
  results: ReadonlySet<string>;
  /** Whether it asks for a summary. */
  summary: boolean;
  /** Calls that it says something false of. */
  toldWrongly: readonly string[];
  /** Whether it went to a model that takes less than others. */
  weak: boolean;
  /** How many results stand in it as a text that says that a filter has refused them. */
  withheld: number;
  /** The hash of the extract in words that stands for its beginning. */
  extract?: string | undefined;
  /** Its status and violations; body and text are forgotten. */
  record: Pick<RecordedRequest, "status" | "violations" | "error" | "api">;
}

/** A call that the model has asked for. */
export interface AskedCall {
  id: string;
  conversation: string;
  ms: number;
}

interface Left {
  rounds: Round[];
  spawns: boolean;
}

const EXTRACTS = [CUT_BEGINNING_OPENING, CUT_OFF_OPENING, EXTRACT_OPENING];
const ANSWERS: Partial<Record<SoakFault, FrontAnswer>> = {
  "http-503": { status: 503, body: { error: { type: "overloaded_error", message: "Service Unavailable" } } },
  "html-502": { status: 502, body: "<html><body><h1>502 Bad Gateway</h1></body></html>", contentType: "text/html" },
  "unknown-400": { status: 400, body: { error: { message: "Conversation item 7 failed the continuity predicate." } } },
  malformed: {
    status: 200,
    body: 'data: {"type":"content_block_delta","index":0,"delta":{"type":"te\n\ndata: not json at all\n\n',
    contentType: "text/event-stream",
  },
};

/** The model behind the strict provider: it does what the plan of the newest message says, then answers. */
export class SoakModel {
  readonly requests: SeenRequest[] = [];
  readonly calls = new Map<string, AskedCall>();
  faults = 0;
  agents = 0;
  /** Sub-agents that a kill has met at work. */
  killedAgents = 0;
  readonly #provider: StrictProvider;
  readonly #places: Places;
  readonly #left = new Map<string, Left>();
  /** How many more requests of a conversation a proxy refuses. */
  readonly #blocked = new Map<string, number>();
  /** The pictures of a conversation by message, in base64. */
  readonly #pictures = new Map<string, Map<string, string>>();
  readonly #agentsAtWork = new Set<string>();
  readonly #isAnswered: (conversation: string, name: string) => boolean;
  #held: RecordedRequest[] = [];
  #serial = 0;

  constructor(provider: StrictProvider, places: Places, isAnswered: (conversation: string, name: string) => boolean) {
    this.#provider = provider;
    this.#places = places;
    this.#isAnswered = isAnswered;
    provider.front((request) => this.#answer(request));
  }

  /** From now on a proxy refuses so many requests of the conversation. */
  block(conversation: string, requests: number): void {
    this.#blocked.set(conversation, requests);
  }

  /** Whether the conversation's next request is taken as any other: no proxy refuses it, and its model is not weak. */
  isPlain(conversation: string): boolean {
    const last = this.requests.findLast((one) => one.conversation === conversation);
    return (this.#blocked.get(conversation) ?? 0) === 0 && last?.weak !== true;
  }

  /** The picture of a message, in base64; no other is the same. */
  paint(conversation: string, name: string): string {
    const picture = makePicture(makeTag(conversation, name));
    this.#pictures.set(conversation, (this.#pictures.get(conversation) ?? new Map()).set(name, picture));
    return picture;
  }

  /** What the model does when it meets this message. */
  expect(conversation: string, { name, rounds, spawns = false }: MessagePlan): void {
    this.#left.set(makeTag(conversation, name), { rounds: [...rounds], spawns });
  }

  /** Counts the sub-agents that a kill ends: those that have begun, and have not said their last word. */
  killAgents(): void {
    this.killedAgents += this.#agentsAtWork.size;
    this.#agentsAtWork.clear();
  }

  /** Whether a request had this message. */
  hasSeen(conversation: string, name: string): boolean {
    return this.requests.some((one) => one.conversation === conversation && one.messages.has(name));
  }

  #answer(request: FrontRequest): FrontAnswer | Step {
    const texts = conversationStrings(request.api, request.body);
    const text = texts.toReversed().join("\n");
    const tags = tagsIn(text);
    // The conversation that started a sub-agent has its task too; what it hears of it has no message of its own.
    const conversation = tags.map((tag) => tag.conversation).toSorted((a, b) => a.length - b.length)[0] ?? "none";
    const newest = tags.findLast((tag) => tag.conversation === conversation) ?? { conversation, name: "m0" };
    const names = new Set(tags.filter((tag) => tag.conversation === conversation).map(({ name }) => name));
    const tools = request.body["tools"];
    const summary = !(Array.isArray(tools) && tools.length > 0) && /summar/i.test(request.raw);
    const extract = texts.find((one) => EXTRACTS.some((opening) => one.includes(opening)));
    const pictures = [...(this.#pictures.get(conversation) ?? [])];
    this.#keep(request, {
      conversation,
      messages: names,
      pictures: new Set(pictures.filter(([, data]) => request.raw.includes(data)).map(([name]) => name)),
      results: outcomesIn(text),
      toldWrongly: toldWrongly(request.body, (call) => existsSync(join(this.#places.traces, `${call}.txt`))),
      summary,
      weak: isWeak(request),
      withheld: text.split(REFUSED_RESULT).length - 1,
      extract: extract && shortId(extract),
    });
    const blocked = this.#blocked.get(conversation) ?? 0;
    this.#blocked.set(conversation, Math.max(0, blocked - 1));
    const refused = blocked > 0 ? PROXY_REFUSAL : refuse(request);
    if (refused !== undefined) return refused;
    if (summary) return { kind: "text", text: `## Summary\nGoal: go on.\n${quoted(text, tags)}` };
    const left = this.#left.get(makeTag(conversation, newest.name));
    const round = left?.rounds[0];
    if (round?.fault !== undefined) {
      const { fault, ...rest } = round;
      left?.rounds.splice(0, 1, rest);
      this.faults++;
      return ANSWERS[fault] ?? { kind: "fault", fault: fault as FaultName, ...this.#round(newest, rest) };
    }
    if (left?.spawns === true) {
      left.spawns = false;
      return { kind: "tool", calls: [this.#spawn(conversation, Number(newest.name.slice(1)))] };
    }
    if (round === undefined) {
      this.#agentsAtWork.delete(conversation);
      return { kind: "text", text: this.#says(conversation, [...names]) };
    }
    left?.rounds.shift();
    return { kind: "tool", ...this.#round(newest, round) };
  }

  #round(
    { conversation, name }: { conversation: string; name: string },
    { tools, bytes = 0, thinking, text }: Round,
  ): { calls: ToolCallSpec[]; text?: string; thinking?: string } {
    const calls = tools.map((ms) => {
      const id = `${conversation}${name}k${++this.#serial}`;
      this.calls.set(id, { id, conversation, ms });
      // The API's own id: some take none of another's form.
      const { name: tool, arguments: given } = prepareCall({ id, tool: "exec", ms, fails: false }, this.#places);
      const { command } = given as { command: string };
      return { name: tool, arguments: bytes === 0 ? given : { command: `${command}; yes filler | head -c ${bytes}` } };
    });
    return { calls, ...(text && { text: "I look." }), ...(thinking && { thinking: `Think ${this.#serial}.` }) };
  }

  /** Starts a sub-agent that runs one command, long enough for a kill to meet it. */
  #spawn(parent: string, number: number): ToolCallSpec {
    const agent = `${parent}s${number}`;
    this.expect(agent, { name: "m1", rounds: [{ tools: [(number * 397) % 4000], thinking: false, text: false }] });
    this.#agentsAtWork.add(agent);
    this.agents++;
    return { name: "sessions_spawn", arguments: { task: `${makeTag(agent, "m1")} do the task of a sub-agent` } };
  }

  #says(conversation: string, names: readonly string[]): string {
    const open = names.filter((name) => !this.#isAnswered(conversation, name));
    return `Done: ${(open.length > 0 ? open : names.slice(-1)).map((name) => answerTo(conversation, name)).join(" ")}`;
  }

  /** Of what was answered no text is kept: a soak has thousands of requests. */
  #keep({ body }: FrontRequest, seen: Omit<SeenRequest, "at" | "record">): void {
    for (const done of this.#held.filter(({ status }) => status !== 0))
      Object.assign(done, { raw: "", body: undefined });
    this.#held = this.#held.filter(({ status }) => status === 0);
    const record = this.#provider.requests.findLast((one) => one.body === body);
    if (record === undefined) return;
    this.#held.push(record);
    this.requests.push({ ...seen, at: Date.now(), record });
  }
}

const SIDE = 16;

/** A grey picture of noise that is the same for the same words. */
function makePicture(words: string): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const noise = makeRandom(words);
  const rows = Array.from({ length: SIDE }, () => [0, ...Array.from({ length: SIDE }, () => noise.between(0, 255))]);
  return encodePng(header, Buffer.from(rows.flat()));
}

function quoted(text: string, tags: ReturnType<typeof tagsIn>): string {
  const messages = new Set(tags.map(({ conversation, name }) => makeTag(conversation, name)));
  return [...messages, ...new Set(text.match(/outcome-\w+-\d+/g))].join(" ");
}
