import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import {
  startProvider,
  type RecordedRequest,
  type StrictProvider,
  type Api,
  type JsonObject,
} from "../../harness/providers/index.ts";
import { randomFront, type RandomFront } from "../../harness/providers/random/provider.ts";
import {
  createSessionIntegrity,
  MemorySession,
  MemoryStore,
  openJournal,
  type SessionIntegrity,
} from "../../src/integrity/index.ts";
import { wait, type Pause, type Player } from "./play.ts";
import type { Played } from "./played.ts";
import { makeMessage, modelIn, listPhases, saidMark, type Plan } from "./plan.ts";

/** What every request has besides its history. */
const SYSTEM = "You are a test.";
const TOOLS = ["read", "write", "exec", "web_search"];
/** The models of the old endpoint; Anthropic's client warns of older ones. */
const OLD_MODELS: Partial<Record<Api, string>> = {
  "anthropic-messages": "claude-sonnet-4-6",
  "openai-completions": "gpt-4.1",
};
const PARAMETERS = { type: "object" as const, properties: { path: { type: "string" } } };

/** Plays plans with the library's guardCall and the official clients. */
export async function openLibraryPlayer(pause: Pause): Promise<Player> {
  const random = randomFront();
  const provider = await startProvider();
  return new LibraryPlayer(provider, random, pause);
}

interface Conversing {
  integrity: SessionIntegrity;
  session: MemorySession;
}

interface Gate {
  heal<T>(body: T): T;
}

interface Asked {
  api: Api;
  model: string;
  tokens: number;
  messages: Anthropic.MessageParam[];
  gate: Gate;
}

interface Said {
  answered: boolean;
  text: string;
  isHeldBack: boolean;
  /** Searches for what was refused. */
  search?: () => Promise<unknown>;
}

class LibraryPlayer implements Player {
  readonly #provider: StrictProvider;
  readonly #random: RandomFront;
  readonly #pause: Pause;
  readonly #clients: { anthropic: Anthropic; openai: OpenAI };

  constructor(provider: StrictProvider, random: RandomFront, pause: Pause) {
    this.#provider = provider;
    this.#random = random;
    this.#pause = pause;
    const given = { apiKey: "none", maxRetries: 0 };
    this.#clients = {
      anthropic: new Anthropic({ ...given, baseURL: provider.url }),
      openai: new OpenAI({ ...given, baseURL: `${provider.url}/v1` }),
    };
  }

  async play(plan: Plan): Promise<Played> {
    const played: Played = { plan, turns: [], archived: [] };
    this.#provider.reset();
    this.#provider.front(this.#random.front);
    this.#random.relax();
    const store = new MemoryStore();
    const id = `${plan.seed}:${plan.nth}`;
    const messages = anthropicMessages(plan.conversation.messages);
    const journal = openJournal(":memory:");
    const open = (): Conversing => ({
      integrity: createSessionIntegrity({ journal }),
      session: new MemorySession({ id, store, messages }),
    });
    let talk = open();
    for (const [nth, phase] of listPhases(plan).entries()) {
      if (phase === "refused" && played.turns.at(-1)?.phase !== "refused")
        this.#random.enforce(plan.rule, plan.wording, modelIn(plan, phase));
      if (phase !== "refused") this.#random.relax();
      const mark = saidMark(plan, nth);
      const model = modelIn(plan, phase) ?? OLD_MODELS[plan.api] ?? "";
      const requests: RecordedRequest[] = this.#provider.requests;
      requests.length = 0;
      const started = performance.now();
      const { search, ...said } = await this.#turn(talk, plan, model, makeMessage(mark));
      const ms = Math.round(performance.now() - started);
      const during = requests.length;
      // Nothing is sent behind its end.
      await search?.();
      played.turns.push({ phase, mark, ...said, ms, ...(await wait(requests, during, this.#pause, async () => {})) });
      const refused = played.turns.filter((one) => one.phase === "refused").length;
      if (phase === "refused" && refused - 1 === plan.killAfter) talk = open();
    }
    journal.close();
    // A program is offered a reset; the library makes none.
    if (store.archived(`memory:${id}#1`) !== undefined) played.archived.push(`memory:${id}#1`);
    return played;
  }

  async close(): Promise<void> {
    await this.#provider.close();
  }

  async #turn({ integrity, session }: Conversing, plan: Plan, model: string, message: string): Promise<Said> {
    await session.append([{ role: "user", content: message }]);
    const { api } = plan;
    const ask = (tokens: number) => (messages: Anthropic.MessageParam[], gate: Gate) =>
      this.#ask({ api, model, tokens, messages, gate });
    const call = await integrity.guardCall(session, ask(8192), { api, model });
    if (call.outcome === "failed")
      return { answered: false, text: call.error, isHeldBack: call.recovery.action === "rolled_back" };
    if (call.outcome === "blocked") return { answered: false, text: "", isHeldBack: false };
    await session.append([{ role: "assistant", content: [{ type: "text", text: call.response }] }]);
    const { response, notes = [], search } = call;
    return {
      answered: true,
      isHeldBack: false,
      text: [response, ...notes].join("\n\n"),
      ...(search && { search: () => search(ask(1)) }),
    };
  }

  async #ask(asked: Asked): Promise<string> {
    return connected(() => this.#send(asked));
  }

  async #send({ api, model, tokens, messages, gate }: Asked): Promise<string> {
    const { anthropic, openai } = this.#clients;
    if (api === "anthropic-messages") {
      const tools = TOOLS.map((name) => ({ name, input_schema: PARAMETERS }));
      const { content } = await anthropic.messages.create({
        model,
        max_tokens: tokens,
        system: SYSTEM,
        messages,
        tools,
      });
      return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    }
    const tools = TOOLS.map((name) => ({ type: "function" as const, function: { name, parameters: PARAMETERS } }));
    const system = { role: "system" as const, content: SYSTEM };
    const body = gate.heal({ model, max_tokens: tokens, messages: [system, ...messages], tools });
    const { choices } = await openai.chat.completions.create(
      body as unknown as OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming,
    );
    return choices[0]?.message.content ?? "";
  }
}

const MOST_CONNECTIONS = 5;

/** Sends again what a slow machine was too slow to connect for: no provider has refused that. */
export async function connected<T>(send: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      const isConnection = [Anthropic, OpenAI].some(({ APIConnectionError }) => error instanceof APIConnectionError);
      if (!isConnection || tries === MOST_CONNECTIONS) throw error;
    }
  }
}

/** OpenClaw's messages in Anthropic's form: results that follow each other in one message. */
function anthropicMessages(messages: readonly JsonObject[]): JsonObject[] {
  const out: JsonObject[] = [];
  for (const { role, content, toolCallId } of messages) {
    const blocks = (content as JsonObject[]).map(toAnthropicBlock);
    if (role !== "toolResult") {
      out.push({ role, content: blocks });
      continue;
    }
    const result = { type: "tool_result", tool_use_id: toolCallId, content: blocks };
    const last = out.at(-1)!;
    if (last["role"] === "user" && (last["content"] as JsonObject[])[0]!["type"] === "tool_result")
      (last["content"] as JsonObject[]).push(result);
    else out.push({ role: "user", content: [result] });
  }
  return out;
}

function toAnthropicBlock(block: JsonObject): JsonObject {
  const { type, id, name, arguments: input, data, mimeType } = block;
  if (type === "toolCall") return { type: "tool_use", id, name, input };
  if (type === "image") return { type, source: { type: "base64", media_type: mimeType, data } };
  return block;
}
