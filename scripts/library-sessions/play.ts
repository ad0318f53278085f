import { join } from "node:path";
import { readFileSync, rmSync } from "node:fs";
import { setImmediate as nextTick } from "node:timers/promises";
import {
  createSessionIntegrity,
  IntegrityError,
  JournalError,
  JsonlSession,
  StoreError,
  type AssistantMessage,
  type Journal,
  type MessageFormat,
  type Session,
  type SessionIntegrity,
  type ToolExecutor,
  type ToolOutput,
} from "../../src/integrity/index.ts";
import { APIS, carelessBody } from "../../harness/arbitrary/bodies.ts";
import { failing } from "../../harness/openclaw/overriding.ts";
import { listViolations } from "../../harness/providers/index.ts";
import { makeRandom, type Random } from "../../harness/random.ts";
import { findFaults } from "./oracle.ts";
import type { Note, Trace } from "./trace.ts";
import { callFor, randomError, outputWith, outputWithout, randomRefusal, type ModelCall } from "./values.ts";

/** What the sessions in the form of Anthropic are sent to. */
const MODEL = "claude-opus-4-6";

type Api = (typeof APIS)[number];

/** Where the sessions of a batch lie, and what they are played with. */
export interface Stage {
  readonly folder: string;
  readonly seed: string;
  readonly journal: Journal;
  readonly trace: Trace;
  /** How often the program was started before. */
  readonly life: number;
}

/** A refusal that the library documents. */
function isDocumented(error: unknown): boolean {
  return error instanceof IntegrityError || error instanceof JournalError || error instanceof StoreError;
}

/** Plays a session from its beginning, or on from where a kill has cut it off, and judges it. */
export async function playSession(stage: Stage, number: number, isResumed: boolean): Promise<void> {
  await new Play(stage, number, isResumed).play();
}

/** How much of what was done. */
function countNotes(notes: readonly Note[], isResumed: boolean): Record<string, number> {
  const counts: Record<string, number> = { sessions: 1, killed: isResumed ? 1 : 0 };
  for (const { kind } of notes) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

class Play {
  readonly #stage: Stage;
  readonly #number: number;
  readonly #random: Random;
  readonly #integrity: SessionIntegrity;
  readonly #format: MessageFormat;
  readonly #api: Api;
  readonly #isResumed: boolean;
  #session: Session;
  #words = 0;
  #sent = "";

  constructor(stage: Stage, number: number, isResumed: boolean) {
    this.#stage = stage;
    this.#number = number;
    this.#isResumed = isResumed;
    this.#random = makeRandom(`${stage.seed}:${number}:${isResumed ? stage.life : "first"}`);
    this.#format = number % 2 === 0 ? "anthropic" : "openclaw";
    this.#api = this.#format === "anthropic" ? "anthropic-messages" : APIS[Math.floor(number / 2) % APIS.length]!;
    this.#integrity = createSessionIntegrity({ journal: stage.journal });
    this.#session = this.#open();
  }

  async play(): Promise<void> {
    const { trace } = this.#stage;
    if (this.#isResumed) await this.#documented(() => this.#integrity.recover(this.#session));
    else await this.#say();
    for (let step = this.#random.between(2, 6); step > 0; step--) await this.#step();
    await this.#end();
    const notes = trace.read(this.#number);
    const faults = findFaults({
      notes,
      stored: readFileSync(this.#file(), "utf8"),
      history: this.#session.messages,
      sent: this.#sent,
    });
    trace.advance({ session: this.#number, kind: "done", faults, counts: countNotes(notes, this.#isResumed) });
    // What is wrong can be looked at afterwards.
    if (faults.length > 0) return;
    trace.remove(this.#number);
    rmSync(this.#file());
  }

  #file(): string {
    return join(this.#stage.folder, `session-${this.#number}.jsonl`);
  }

  #open(): JsonlSession {
    const options = { format: this.#format };
    try {
      return new JsonlSession(this.#file(), options);
    } catch (error) {
      if (error instanceof StoreError && error.code === "session-missing")
        return JsonlSession.create(this.#file(), options);
      throw error;
    }
  }

  async #step(): Promise<void> {
    const random = this.#random;
    switch (random.between(0, 11)) {
      case 0:
        return this.#say();
      case 1:
        await this.#documented(() =>
          this.#integrity.checkpoint(this.#session, random.pick(["manual", "api_call", "tool_cycle"])),
        );
        return;
      case 2:
        return this.#fail(random.chance(0.3));
      case 3:
        // The program ends in peace, and another one goes on.
        this.#session = this.#open();
        await this.#documented(() => this.#integrity.recover(this.#session));
        return;
      case 4:
        return this.#damage();
      default:
        return this.#turn();
    }
  }

  async #say(): Promise<void> {
    const word = this.#word();
    await this.#session.append([this.#message("user", [{ type: "text", text: `said ${word}` }])]);
    this.#note("asked", word);
  }

  /** A turn of the model's: it answers, calls tools, or fails. */
  async #turn(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.6)) await this.#say();
    const isFailing = random.chance(0.15);
    const isRefused = isFailing && random.chance(0.3);
    if (isRefused) this.#note("moved");
    const error = isRefused ? randomRefusal(random) : isFailing ? randomError(random) : undefined;
    let requests = 0;
    const outcome = await this.#call(() => {
      // What a repair was to help is taken at the second time, sometimes.
      if (isFailing && (requests++ === 0 || !isRefused)) throw error;
    });
    if (outcome !== "answered") return;
    if (random.chance(0.3))
      await this.#session.append([this.#message("assistant", [{ type: "text", text: "An answer." }], "stop")]);
    else await this.#cycle();
  }

  /** Makes a request; what goes out is judged by the strict provider. */
  async #call(answer: () => void): Promise<string | undefined> {
    const guarded = await this.#documented(() =>
      this.#integrity.guardCall(
        this.#session,
        async (messages, gate) => {
          const body =
            this.#format === "anthropic"
              ? { model: MODEL, max_tokens: 100, messages }
              : gate.heal(carelessBody(this.#api, messages));
          this.#sent = JSON.stringify(body);
          const [refused] = listViolations(this.#api, JSON.parse(this.#sent));
          if (refused) this.#fault(`invalid request, ${this.#api}: ${refused.message}`);
          answer();
          return "answer";
        },
        this.#format === "anthropic" ? { model: MODEL } : { api: this.#api },
      ),
    );
    if (guarded?.recovery?.details?.rung !== undefined) this.#note("moved");
    return guarded?.outcome;
  }

  async #cycle(): Promise<void> {
    const random = this.#random;
    const calls = Array.from({ length: random.between(1, 3) }, () => this.#word()).map((word) => ({
      word,
      ...callFor(word, random),
    }));
    const message = this.#callsMessage(calls);
    const executor = this.#tools(calls);
    if (random.chance(0.15)) await this.#session.append([message]);
    const cannotStore = random.chance(0.08);
    const session = cannotStore ? failing(this.#session, "persistToolCycle", "no room") : this.#session;
    const controller = new AbortController();
    const times = random.chance(0.1) ? 2 : 1;
    if (executor.waits) setTimeout(() => controller.abort(), random.between(0, 2));
    await Promise.all(
      Array.from({ length: times }, () =>
        this.#documented(async () => {
          const { results } = await this.#integrity.executeToolCycle(session, message, executor, {
            signal: controller.signal,
          });
          if (results || calls.length === 1) for (const { word } of calls) this.#note("settled", word);
        }),
      ),
    );
    if (random.chance(0.5))
      await this.#session.append([this.#message("assistant", [{ type: "text", text: "Done." }], "stop")]);
  }

  /** Tools that do anything at all; `waits` when one of them does not come back. */
  #tools(calls: readonly (ModelCall & { word: string })[]): ToolExecutor & { waits: boolean } {
    const random = this.#random;
    const deeds = new Map(calls.map(({ word }) => [word, random.real()]));
    const waits = [...deeds.values()].some((deed) => deed > 0.97);
    const left = [...deeds.keys()];
    return {
      waits,
      execute: (_name, input) => {
        // Called in the order of the calls, whatever became of their inputs.
        const word = left.shift() ?? "nobody";
        this.#note("ran", word);
        if (typeof input === "object" && input !== null && random.chance(0.2)) Object.assign(input, { for: "changed" });
        const deed = deeds.get(word) ?? 0;
        if (deed > 0.97) return new Promise<ToolOutput>(() => {});
        // Not promised: a promise throws itself when it is resolved with what cannot be looked at.
        if (deed > 0.75 && deed <= 0.85) return outputWithout(random) as ToolOutput;
        return this.#work(word, deed, random.chance(0.3));
      },
    };
  }

  async #work(word: string, deed: number, isSlow: boolean): Promise<ToolOutput> {
    if (isSlow) await nextTick();
    if (deed > 0.85) {
      this.#note("threw", word);
      throw randomError(this.#random);
    }
    const output = outputWith(`did ${word}`, this.#random);
    this.#note("gave", word);
    return output as ToolOutput;
  }

  /** Somebody tells of an error. */
  async #fail(isRefusal: boolean): Promise<void> {
    if (isRefusal) this.#note("moved");
    const error = isRefusal ? randomRefusal(this.#random) : randomError(this.#random);
    await this.#documented(() => this.#integrity.handleError(this.#session, error));
  }

  /** Another program appends what is no message of this session. */
  async #damage(): Promise<void> {
    const odd: unknown[] = [
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_nowhere", content: "orphan" }] },
      {
        role: "toolResult",
        toolCallId: "toolu_nowhere",
        toolName: "exec",
        content: [{ type: "text", text: "orphan" }],
        isError: false,
      },
      { role: "assistant", content: [{ type: "tool_use", id: `toolu_x${this.#words}`, name: "exec", input: "text" }] },
      { role: "assistant", content: [{ type: "text", text: "" }] },
      { role: "user", content: [5, null, "text"] },
      { role: "system", content: "Be brief." },
      { role: "assistant", content: "A bare answer." },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: `toolu_y${this.#words}`, name: "exec", input: {} },
          { type: "tool_result", tool_use_id: `toolu_y${this.#words}`, content: "inside" },
        ],
      },
      { role: "assistant", content: [{ type: "thinking", thinking: "Hm." }] },
      "words alone",
      {
        role: "user",
        content: [
          {
            type: "image",
            source: {
              type: "base64",
              media_type: "image/png",
              data: this.#format === "anthropic" ? "not base64 !" : "aGk=",
            },
          },
        ],
      },
    ];
    await this.#session.append([this.#random.pick(odd)]);
  }

  /** The last request: whatever was, the session can go on. */
  async #end(): Promise<void> {
    await this.#session.append([this.#message("user", [{ type: "text", text: "The end." }])]);
    if ((await this.#call(() => {})) !== "answered")
      this.#fault("the session cannot continue: its last call was not made");
    await this.#documented(() => this.#integrity.recover(this.#session));
    const { valid, error } = this.#integrity.validate(this.#session, { allowOpenEnd: false });
    if (!valid) this.#fault(`not valid at its end: ${error}`);
  }

  /** What the work gives; undefined, and a note where that is no documented refusal, when it rejects. */
  async #documented<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isDocumented(error))
        this.#fault(`undocumented: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return undefined;
    }
  }

  #callsMessage(calls: readonly ModelCall[]): AssistantMessage {
    const blocks = calls.map(({ id, name, input }) =>
      this.#format === "anthropic"
        ? { type: "tool_use", id, name, input }
        : { type: "toolCall", id, name, arguments: input },
    );
    return this.#message("assistant", blocks, "toolUse") as unknown as AssistantMessage;
  }

  #message(role: string, content: object[], stopReason?: string): object {
    return {
      role,
      content,
      ...(this.#format === "openclaw" && { timestamp: Date.now(), ...(stopReason !== undefined && { stopReason }) }),
    };
  }

  #word(): string {
    return `w${this.#number}-${this.#stage.life}-${this.#words++}q`;
  }

  #note(kind: "asked" | "ran" | "gave" | "threw" | "settled" | "moved", word?: string): void {
    this.#stage.trace.note(this.#number, kind, word);
  }

  #fault(what: string): void {
    this.#stage.trace.note(this.#number, "fault", what);
  }
}
