import { randomUUID } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { isObject, type JsonObject, toJson } from "../../transcript/json/json.ts";
import { plainCopy } from "../../transcript/json/plain.ts";
import {
  type Beginning,
  type CallRecords,
  isSameBeginning,
  NO_ID,
  type RecordedCall,
  type SentHistory,
} from "../../transcript/recorded-calls.ts";
import { inputHash } from "../content-hash.ts";
import { type Journal, missedFile } from "../journal.ts";
import { readOutcomes } from "../outcomes.ts";
import type { CycleResult, ToolCycle } from "../tool-cycles.ts";

/** A call of a tool, as the framework gives it. */
export interface CallToRun {
  /** Undefined where the framework tells its tools no id. */
  readonly callId: string | undefined;
  readonly toolName: string;
  readonly input: unknown;
}

/** A history that is another one as often as that is one whose program leaves out what it was told. */
const MAX_PLACES = 20;
const REQUESTS = "model_requests";
const TOLD = "told_calls";
/** So many histories are remembered that lack a call, such as those of an agent and of what makes its titles. */
const MAX_HISTORIES = 4;
/** As many requests are remembered: a call is not started when the request before it is among them. */
const MAX_REQUESTS = 20;

/** Shorter ids, beside the name of the tool, are numbers that some servers use again. */
const SHORTEST_RANDOM_ID = 20;

/** What this process knows of a journal: which calls run, which are in requests, and of which tools all are written. */
interface Live {
  readonly running: Set<number>;
  readonly seen: Set<number>;
  /** The calls that were told, and how often at a place that is not their own. */
  readonly told: Map<number, number>;
  readonly tools: Set<string>;
}

const liveIn = new WeakMap<Journal, Live>();

function readLive(journal: Journal): Live {
  const known = liveIn.get(journal) ?? { running: new Set(), seen: new Set(), told: new Map(), tools: new Set() };
  liveIn.set(journal, known);
  return known;
}

/**
 * The tool calls of one conversation in a {@link Journal}, for agents whose framework keeps the messages: `durableTool`
 * writes them, and the `healingFetch` of `openclaw-integrity/fetch` tells them to the model. Every method throws a
 * JournalError when the database fails.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { ConversationJournal, durableTool, openJournal } from "openclaw-integrity/journal";
 *
 * const journal = openJournal(":memory:"); // the path of a file, for an agent
 * const conversation = new ConversationJournal(journal, "chat-42");
 * const pay = durableTool({ name: "pay", run: async () => "paid" }, conversation);
 * await pay.run(); // the model has asked for this
 * // What `healingFetch({ journal: conversation })` tells the model, until the conversation has gone on:
 * const [call] = conversation.open();
 * assert.deepEqual(call?.outcome, { result: { content: [{ type: "text", text: "paid" }], isError: false } });
 * journal.close();
 * ```
 */
export class ConversationJournal implements CallRecords {
  readonly sessionId: string;
  readonly #journal: Journal;
  readonly #live: Live;

  /** `sessionId` is any name of the conversation that lasts. */
  constructor(journal: Journal, sessionId: string) {
    this.#journal = journal;
    this.#live = readLive(journal);
    this.sessionId = sessionId;
  }

  /** Says that all calls of a tool of this name are written here, from now on. */
  covers(toolName: string): void {
    this.#live.tools.add(toolName);
  }

  /** Whether all calls of a tool of this name are written here. */
  isCovered(toolName: string): boolean {
    return this.#live.tools.has(toolName);
  }

  /** Writes a call that runs now; returns the number of its tool cycle. Throws `missing` where the file is gone. */
  begin(call: CallToRun): number {
    this.#journal.assertInPlace();
    try {
      return this.#begin(call);
    } catch (error) {
      // The tool runs without a record: nobody may say later that a call without one was not started.
      if (this.#journal.file !== ":memory:") writeFileSync(missedFile(this.#journal.file), "", { mode: 0o600 });
      throw error;
    }
  }

  #begin({ callId, toolName, input }: CallToRun): number {
    const { cycles } = this.#journal;
    const behind = this.requests().at(-1);
    const id = callId ?? `${NO_ID}${randomUUID()}`;
    const call = { type: "toolCall", id, name: toolName, arguments: plainCopy(input), ...(behind && { behind }) };
    const [cycle] = cycles.pending([
      { sessionId: this.sessionId, callId: id, toolName, inputHash: inputHash(input), call },
    ]);
    cycles.start(cycle!);
    this.#live.running.add(cycle!);
    return cycle!;
  }

  /** Writes what the tool returned. */
  returned(cycle: number, result: CycleResult): void {
    this.#journal.cycles.record(cycle, result);
    this.#live.running.delete(cycle);
    this.#journal.assertInPlace();
  }

  /** Says that a tool no longer runs, and nobody knows what it has done. */
  broken(cycle: number): void {
    this.#live.running.delete(cycle);
  }

  /** Says that a tool has done nothing, and is called again with the same call. */
  postponed(cycle: number): void {
    this.#journal.cycles.rollBack([cycle]);
    this.#live.running.delete(cycle);
  }

  /**
   * Returns the cycle of a call that a killed process has begun and that is called once more: the same id, tool and
   * input, with no request to a model since. With one, the id is that of a new call, unless the id is too long to be
   * used twice and the request was about something else, such as a title.
   */
  findBegun({ callId, toolName, input }: CallToRun): ToolCycle | undefined {
    if (callId === undefined) return undefined;
    const begun = this.#journal.cycles
      .open(this.sessionId)
      .findLast((cycle) => cycle.callId === callId && cycle.toolName === toolName);
    if (!begun || this.#live.running.has(begun.id) || begun.inputHash !== inputHash(input)) return undefined;
    const behind = readBehind(begun.call);
    const all = this.requests();
    const at = all.findLastIndex((request) => isSameBeginning(request, behind));
    // Without a record of requests nobody knows whether a model has asked again.
    if (!behind || at === -1) return undefined;
    const since = all.slice(at + 1);
    if (since.length === 0) return begun;
    const isTold = this.#live.told.has(begun.id) || this.#live.seen.has(begun.id);
    const isAside = since.every(({ continues = [] }) => !continues.includes(behind.digest));
    return isAside && !isTold && callId.replace(toolName, "").length >= SHORTEST_RANDOM_ID ? begun : undefined;
  }

  /** Returns the calls whose results are not known to be in the conversation for good, oldest first. */
  open(): RecordedCall[] {
    const hasMissed = this.#hasMissed;
    const told = this.#told();
    return readOutcomes(this.#journal.cycles.open(this.sessionId)).map(({ cycle, outcome, ...known }) => {
      const behind = readBehind(cycle.call);
      return {
        ...known,
        outcome:
          typeof outcome !== "string" ? { result: toToldResult(outcome.result) } : hasMissed ? "interrupted" : outcome,
        cycle: cycle.id,
        input: isObject(cycle.call) ? cycle.call.arguments : undefined,
        isUnderWay: this.#live.running.has(cycle.id),
        isSeen: this.#live.seen.has(cycle.id),
        told: told.get(cycle.id) ?? [],
        ...(behind && { behind }),
      };
    });
  }

  /** Whether a call with this id was ever begun, or may have been while the journal could not be written. */
  hasBegun(callId: string): boolean {
    return this.#hasMissed || this.#journal.cycles.has(this.sessionId, callId);
  }

  /**
   * Whether tools ran while the journal could not be written: of those a call is there that seems not to have begun.
   */
  get #hasMissed(): boolean {
    return existsSync(missedFile(this.#journal.file));
  }

  /** Says where in the conversation a call was told. `isPlaceless`: the call has no place of its own there. */
  toldBehind(cycle: number, behind: Beginning, isPlaceless: boolean): void {
    const times = (this.#live.told.get(cycle) ?? 0) + (isPlaceless ? 1 : 0);
    this.#live.told.set(cycle, times);
    const told = this.#told();
    told.set(cycle, [...(told.get(cycle) ?? []), behind].slice(-MAX_HISTORIES));
    this.#keepTold(told);
    if (times >= MAX_PLACES) this.settle([cycle]);
  }

  #told(): Map<number, Beginning[]> {
    const stored = this.#learned(TOLD);
    const entries = (Array.isArray(stored) ? (stored as unknown[]) : []).filter(Array.isArray) as unknown[][];
    return new Map(
      entries.flatMap(([cycle, places]) =>
        typeof cycle === "number" && Array.isArray(places) ? [[cycle, places.filter(isBeginning)] as const] : [],
      ),
    );
  }

  #keepTold(told: ReadonlyMap<number, readonly Beginning[]>): void {
    this.#journal.learned.put("session", this.sessionId, TOLD, [...told], Date.now());
  }

  /** Closes calls whose results are in the conversation for good. */
  settle(cycles: readonly number[]): void {
    this.#journal.cycles.commit(cycles);
    const told = this.#told();
    const before = told.size;
    for (const cycle of cycles) {
      this.#live.seen.delete(cycle);
      this.#live.told.delete(cycle);
      told.delete(cycle);
    }
    if (told.size < before) this.#keepTold(told);
  }

  /** Says that the results of these calls were in a request that was answered. */
  seen(cycles: readonly number[]): void {
    for (const cycle of cycles) this.#live.seen.add(cycle);
  }

  /** Writes that a model is asked. */
  asked(history: SentHistory): void {
    const requests = this.requests();
    if (isSameBeginning(history, requests.at(-1))) return;
    const next = [...requests, history].slice(-MAX_REQUESTS);
    this.#journal.learned.put("session", this.sessionId, REQUESTS, next, Date.now());
  }

  /** Returns the latest requests to a model, oldest first. */
  requests(): readonly SentHistory[] {
    return readRequests(this.#learned(REQUESTS));
  }

  #learned(name: string): unknown {
    return this.#journal.learned.read("session", this.sessionId).find(({ what }) => what === name)?.value;
  }
}

function readBehind(call: unknown): SentHistory | undefined {
  return isObject(call) ? readRequests([call.behind])[0] : undefined;
}

function readRequests(stored: unknown): SentHistory[] {
  return (Array.isArray(stored) ? (stored as unknown[]) : []).filter((one): one is SentHistory & JsonObject => {
    if (!isObject(one)) return false;
    const { tools, continues = [] } = one;
    return isBeginning(one) && Array.isArray(tools) && Array.isArray(continues);
  });
}

function isBeginning(one: unknown): one is Beginning & JsonObject {
  return isObject(one) && typeof one.items === "number" && typeof one.digest === "string";
}

/** Returns what a tool returned in blocks that a model can be told. */
function toToldResult({ content: kept, isError, details }: CycleResult): CycleResult {
  const isPair = isObject(details) && details.isPair === true && Array.isArray(kept);
  const content: unknown = isPair ? kept[0] : kept;
  const blocks = isObject(content) && Array.isArray(content.content) ? (content.content as unknown[]) : content;
  const isBlocks = Array.isArray(blocks) && blocks.length > 0 && blocks.every(isTextBlock);
  const text = typeof content === "string" ? content : toJson(content ?? null);
  return { content: isBlocks ? blocks : [{ type: "text", text }], isError };
}

function isTextBlock(block: unknown): boolean {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}
