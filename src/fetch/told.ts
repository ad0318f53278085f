import { jsonInline, nameInline, section } from "../base/quoted.ts";
import { type KnownOutcome, withOutcomes } from "../transcript/interrupted.ts";
import { shortId } from "../transcript/json/hash.ts";
import { isObject, type JsonObject, toJson } from "../transcript/json/json.ts";
import { INTERRUPTED_CALL, NOT_STARTED_CALL, plainText, readText, UNKNOWN_OUTCOME } from "../transcript/json/text.ts";
import { marked } from "../transcript/origin.ts";
import {
  type Beginning,
  type CallRecords,
  isSameBeginning,
  NO_ID,
  type RecordedCall,
  type SentHistory,
} from "../transcript/recorded-calls.ts";
import { type Api, historyField } from "../wire/apis.ts";
import { heal, type RequestOptions } from "../wire/heal.ts";
import type { Block, BodyMessage } from "../wire/model.ts";
import { type BodyHistory, isInstruction, readHistory } from "../wire/rewrite.ts";

/** Fewer calls than twice these are told at once; the newest count. */
const MAX_TOLD = 20;
/** As many calls of a tool are compared with a record that has no id. */
const MAX_COMPARED = 100;
const MAX_INPUT = 2000;
const MAX_RESULT = 50_000;

/** Texts of this project in place of a result that is not known. */
const UNKNOWN: ReadonlySet<string> = new Set([UNKNOWN_OUTCOME, INTERRUPTED_CALL, NOT_STARTED_CALL]);

/** What deepagents puts in place of a result that is not known: it says "cancelled" of a call that may have run. */
const CANCELLED =
  /^Tool call [^\n]{1,200} with id [^\n]{1,200} was cancelled - another message came in before it could be completed\.$/;

const HEAD =
  "[A note of the program that runs the tools, not words of the user. This call was made earlier in this " +
  "conversation, and is missing from the messages.]";

/** A request, its history, and what is recorded of its conversation. */
export interface ToldRequest {
  readonly api: Api;
  readonly about: RequestOptions;
  /** As the program has given it. */
  readonly body: JsonObject;
  readonly records: CallRecords;
}

/** A call in a history. */
interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The result says that nothing is known of the call. */
  isUnknown: boolean;
  /** A message of a person stands behind its result. */
  isPast: boolean;
}

/** A call that a history lacks, and where in it the call is told. */
interface AbsentCall {
  readonly known: RecordedCall;
  /** Behind so many items. */
  readonly place: number;
  /** It was told there before. */
  readonly isTold: boolean;
  /** That is no place of its own, but the end. */
  readonly isPlaceless: boolean;
}

/** A valid body that was read. */
interface ReadCalls {
  readonly body: JsonObject;
  readonly history: BodyHistory;
  /** The calls that something is known of, with their records; without one: not started. */
  readonly calls: readonly (readonly [Call, RecordedCall | undefined])[];
}

/** Tells a model what is recorded of the calls of a conversation, in one request. */
export class ToldCalls {
  readonly #request: ToldRequest;
  readonly #items: readonly unknown[];
  readonly #recorded: readonly RecordedCall[];
  /** Undefined where there is nothing to be told. */
  readonly #read: ReadCalls | undefined;
  /** Those that the history lacks, and their places; undefined where the history has become another one. */
  readonly #absent: readonly AbsentCall[];
  /** Closed when the request is answered. */
  readonly #settled: number[] = [];
  /** Those whose real results this request has. */
  readonly #seen: number[] = [];
  readonly #requests: readonly SentHistory[];
  readonly #json: string[] = [];
  readonly #digests = new Map<number, string>();
  /** The calls of beginnings of the history, by their length. */
  readonly #before = new Map<number, readonly Call[]>();
  /** How many calls are told that the history has no true outcome of. */
  count = 0;

  /** `healed` is the body with a valid history. */
  constructor(request: ToldRequest, healed: JsonObject) {
    const { api, body, records } = request;
    this.#request = request;
    this.#items = (body[historyField(api)!] as readonly unknown[]).filter((item) => !isInstruction(item));
    this.#recorded = records.open();
    const offered = offeredTools(body);
    // Most requests have nothing to be told, and are not read once more.
    const isQuiet = this.#recorded.length === 0 && healed === body;
    this.#requests = isQuiet ? [] : records.requests();
    this.#read = isQuiet ? undefined : this.#readCalls(healed);
    const found = new Map(this.#read?.calls.map(([call, known]) => [known, call]));
    const missing: RecordedCall[] = [];
    let newest = 0;
    for (const known of this.#recorded) {
      const call = found.get(known);
      if (call) newest = Math.max(newest, known.cycle);
      else if (known.isUnderWay !== true && offered.has(known.toolName)) missing.push(known);
      if (call && !call.isUnknown) (call.isPast ? this.#settled : this.#seen).push(known.cycle);
    }
    const absent = missing
      .map((known) => this.#findPlace(known, missing))
      .filter(({ known, isTold, isPlaceless }) => {
        // A program that has newer calls and lacks an older one has left that out on purpose, to be shorter. What it was
        // told before at this place stays: a provider has the beginning in its cache.
        const isLeftOut = newest > known.cycle;
        return isTold || (isPlaceless ? !isLeftOut && known.isSeen !== true : !isLeftOut || known.isSeen !== true);
      });
    // Many at a time, so that the beginning seldom changes.
    this.#absent = absent.slice(Math.max(0, Math.floor(absent.length / MAX_TOLD) - 1) * MAX_TOLD);
    const covered = [...offered].filter((name) => records.isCovered(name));
    const items = this.#items.length;
    if (covered.length > 0)
      records.asked({ items, digest: this.#digest(items), tools: covered, continues: this.#continued() });
  }

  /**
   * Returns the body of the program with a message for each call that the history lacks: behind the messages to whose
   * answer the call belongs, so that the message stands at its place in each later request too; else at the end, which
   * is its place from then on.
   */
  withAbsent(): JsonObject {
    const { api, body } = this.#request;
    if (this.#absent.length === 0) return body;
    const field = historyField(api)!;
    const items = [...(body[field] as readonly unknown[])];
    const places = [...items.keys()].filter((at) => !isInstruction(items[at]));
    // The last ones first: places before them stay what they are.
    const backwards = this.#absent.toSorted((a, b) => b.place - a.place || b.known.cycle - a.known.cycle);
    for (const { known, place } of backwards) {
      const at = place === 0 ? (places[0] ?? items.length) : places[place - 1]! + 1;
      items.splice(at, 0, makeMessage(api, tell(known)));
      this.count++;
    }
    return { ...body, [field]: items };
  }

  /** Returns a valid body with the outcomes of the calls that its history has. */
  withPlaced(healed: JsonObject): JsonObject {
    if (!this.#read) return healed;
    const { history, calls } = healed === this.#read.body ? this.#read : this.#readCalls(healed);
    const outcomes = calls.map(([{ id, name }, known]): KnownOutcome => {
      if (known) return { ...known, callId: id };
      return { callId: id, toolName: name, outcome: "not_started", at: Date.now() };
    });
    const ids = new Set(outcomes.map(({ callId }) => callId));
    const before = new Map<unknown, BodyMessage>();
    const messages = history.messages.map((message) => {
      if (!ids.has(message.toolCallId as string) || !saysNothing(message)) return message;
      const invented = marked({ ...message, isError: true }, { result: "unknown" });
      before.set(invented, message);
      return invented;
    });
    const { messages: next, placed } = withOutcomes(messages, outcomes);
    if (placed.length === 0) return healed;
    this.count += placed.length;
    return history.write(next.map((message) => before.get(message) ?? message));
  }

  /** Closes what is told for good with this request. */
  answered(): void {
    const { records } = this.#request;
    if (this.#settled.length > 0) records.settle(this.#settled);
    if (this.#seen.length > 0) records.seen(this.#seen);
    for (const { known, place, isTold, isPlaceless } of this.#absent)
      if (!isTold) records.toldBehind(known.cycle, { items: place, digest: this.#digest(place) }, isPlaceless);
  }

  #readCalls(body: JsonObject): ReadCalls {
    const { api, about } = this.#request;
    const history = readHistory(api, body, about)!;
    const calls = readCalls(history.messages);
    const free = new CallsByRecord(calls, this.#request.api !== "google-generative-ai");
    const ranges = new Map(this.#recorded.map((known) => [known, this.#findRange(known, calls)]));
    const found: [Call, RecordedCall][] = [];
    let open = this.#recorded;
    // The surest first: an id that is used again, and one that was changed because of that, is no proof.
    for (const way of WAYS)
      open = open.filter((known) => {
        const call = free.take(known, way, ranges.get(known));
        if (call) found.push([call, known]);
        return !call;
      });
    const taken = new Set(found.map(([call]) => call));
    const unknown = calls.filter((call) => call.isUnknown && !taken.has(call)).slice(-MAX_TOLD);
    const idle = unknown.filter((call) => this.#isNotStarted(call));
    return { body, history, calls: [...found, ...idle.map((call) => [call, undefined] as const)] };
  }

  /**
   * Returns those of the calls like a recorded one that may be it: an id can be used again with the same input. They
   * stand behind the request to whose answer the call belongs, and before the answer to a later one. Undefined where
   * that request is not found in the history.
   */
  #findRange(known: RecordedCall, calls: readonly Call[]): readonly Call[] | undefined {
    const alike = calls.filter((call) => isAlike(known, call));
    const first = alike.length === 0 ? undefined : this.#countBefore(known, known);
    if (first === undefined) return undefined;
    let end = alike.length;
    for (const later of this.#recorded) {
      if (later.cycle <= known.cycle || later.toolName !== known.toolName || known.isInput?.(later.input) !== true)
        continue;
      const from = isSameBeginning(known.behind!, later.behind) ? undefined : this.#countBefore(known, later);
      if (from !== undefined) end = Math.min(end, from);
    }
    return alike.slice(first, end);
  }

  /** How many calls like `known` stand in the request to whose answer another call belongs. */
  #countBefore(known: RecordedCall, { behind }: RecordedCall): number | undefined {
    if (!behind || behind.items > this.#items.length || this.#digest(behind.items) !== behind.digest) return undefined;
    const { api, about, body } = this.#request;
    let calls = this.#before.get(behind.items);
    if (!calls) {
      const part = heal(api, { ...body, [historyField(api)!]: this.#items.slice(0, behind.items) }, about);
      calls = readCalls(readHistory(api, part, about)!.messages);
      this.#before.set(behind.items, calls);
    }
    return calls.filter((call) => isAlike(known, call)).length;
  }

  /** The histories before open calls that this one goes on from. */
  #continued(): string[] {
    const before = this.#recorded.flatMap(({ behind }) =>
      behind && behind.items < this.#items.length ? [behind] : [],
    );
    const all = new Map(before.map(({ digest, items }) => [digest, items]));
    return [...all].flatMap(([digest, items]) => (this.#digest(items) === digest ? [digest] : []));
  }

  /**
   * Where the call was told before; else where it would stand: behind the messages that its answer is to, or behind the
   * most of them that are still there, since a killed program can lose several steps at once; else at the end.
   */
  #findPlace(known: RecordedCall, missing: readonly RecordedCall[]): AbsentCall {
    const told = known.told?.findLast((place) => this.#beginsWith(place));
    if (told) return { known, place: told.items, isTold: true, isPlaceless: false };
    const { behind } = known;
    const all = this.#requests;
    const at = behind ? all.findLastIndex((request) => isSameBeginning(request, behind)) : -1;
    const before = behind ? [behind, ...all.slice(0, at + 1)].filter((one) => this.#beginsWith(one)) : [];
    if (before.length === 0) {
      const end = this.#items.length - (isOfPerson(this.#items.at(-1)) ? 1 : 0);
      return { known, place: end, isTold: false, isPlaceless: true };
    }
    let place = Math.max(...before.map(({ items }) => items));
    // The messages in between are lost: the answer to the earlier request stands before the call, unless that was a call
    // too, which is told there.
    const isBehindCall = missing.some((other) => other.cycle < known.cycle && other.behind?.items === place);
    if (place !== behind!.items && !isBehindCall)
      while (place < this.#items.length && !isOfPerson(this.#items[place])) place++;
    return { known, place, isTold: false, isPlaceless: false };
  }

  #beginsWith({ items, digest }: Beginning): boolean {
    return items <= this.#items.length && this.#digest(items) === digest;
  }

  /**
   * True for a call of a tool whose calls are all recorded, in the answer to a request that was recorded too, that has
   * no record itself. Gemini's calls have no id by which they would be known.
   */
  #isNotStarted({ id, name }: Call): boolean {
    const { api, records } = this.#request;
    if (api === "google-generative-ai" || !records.isCovered(name) || records.hasBegun(id)) return false;
    const quoted = toJson(id);
    const at = this.#items.findLastIndex((item, nth) => isOfModel(item) && this.#jsonAt(nth).includes(quoted));
    return this.#requests.some(
      ({ items, digest, tools }) =>
        items <= at &&
        tools.includes(name) &&
        this.#items.slice(items, at).every(isOfModel) &&
        this.#digest(items) === digest,
    );
  }

  /** Names a beginning of the history; where it may be cached is no part of that. */
  #digest(items: number): string {
    const known = this.#digests.get(items);
    if (known !== undefined) return known;
    let json = "";
    for (let at = 0; at < items; at++) json += `${this.#jsonAt(at)}\n`;
    const digest = shortId(json);
    this.#digests.set(items, digest);
    return digest;
  }

  /** The JSON of an item, without marks for a cache. */
  #jsonAt(at: number): string {
    return (this.#json[at] ??= toJson(this.#items[at]).replaceAll(CACHE_MARK, ""));
  }
}

/** Marks for a provider's cache, which move from request to request. */
const CACHE_MARK = /,?"cache_control":\{[^{}]{0,200}\}|,?\{"cachePoint":\{[^{}]{0,200}\}\}/g;

/** True for an item of an answer: not a person's, and no result. */
function isOfModel(item: unknown): boolean {
  if (!isObject(item)) return false;
  if (item.role !== undefined) return item.role === "assistant" || item.role === "model";
  return typeof item.type === "string" && !item.type.endsWith("_output");
}

function readCalls(messages: readonly BodyMessage[]): Call[] {
  const calls: Call[] = [];
  const latest = new Map<unknown, Call>();
  const waiting: Call[] = [];
  for (const message of messages) {
    const { role, content, toolCallId } = message;
    if (role === "user") for (const call of waiting.splice(0)) call.isPast = true;
    if (role === "toolResult") {
      const call = latest.get(toolCallId);
      if (!call) continue;
      call.isUnknown = saysNothing(message);
      waiting.push(call);
    }
    if (role !== "assistant" || !Array.isArray(content)) continue;
    for (const { type, id, name, arguments: input } of content as Block[]) {
      if (type !== "toolCall" || typeof id !== "string" || typeof name !== "string") continue;
      const call: Call = { id, name, input, isUnknown: true, isPast: false };
      calls.push(call);
      latest.set(id, call);
    }
  }
  return calls;
}

/** True for a result with a text in place of one. */
function saysNothing({ content }: BodyMessage): boolean {
  const text = plainText(content).trim();
  return UNKNOWN.has(text) || CANCELLED.test(text);
}

/** How a record names its call. */
type RecordedWay = "id and input" | "id" | "input";
const WAYS: readonly RecordedWay[] = ["id and input", "id", "input"];

/** Shorter ids are numbers that some servers use again in each answer. */
const SHORTEST_UNIQUE_ID = 12;

/** Finds the calls of records. Some libraries lengthen ids, some frameworks tell their tools none, Gemini has none. */
class CallsByRecord {
  readonly #hasIds: boolean;
  readonly #byName = new Map<string, Set<Call>>();
  readonly #byId = new Map<string, Set<Call>>();

  constructor(calls: readonly Call[], hasIds: boolean) {
    this.#hasIds = hasIds;
    for (const call of calls) {
      addTo(this.#byName, call.name, call);
      if (hasIds) addTo(this.#byId, `${call.name} ${shortened(call.id)}`, call);
    }
  }

  /** Returns the call of a record, and never again. `range`: the calls with its input that may be it. */
  take(known: RecordedCall, way: RecordedWay, range?: readonly Call[]): Call | undefined {
    const { callId, toolName } = known;
    const hasId = this.#hasIds && !callId.startsWith(NO_ID);
    const isUnique = hasId && shortened(callId).length >= SHORTEST_UNIQUE_ID;
    if (way === "input" ? isUnique : !hasId || (way === "id" && !isUnique)) return undefined;
    const id = `${toolName} ${shortened(callId)}`;
    const all = [...((way === "input" ? this.#byName.get(toolName) : this.#byId.get(id)) ?? [])];
    const newest = all.slice(-MAX_COMPARED);
    const isIts = (call: Call): boolean =>
      isAlike(known, call) ? range === undefined || range.includes(call) : way === "id";
    const call = way === "input" || range ? newest.find(isIts) : newest.findLast(isIts);
    if (!call) return undefined;
    this.#byName.get(toolName)?.delete(call);
    this.#byId.get(`${call.name} ${shortened(call.id)}`)?.delete(call);
    return call;
  }
}

/** True for a call of the recorded tool with the recorded input. */
function isAlike({ toolName, isInput }: RecordedCall, { name, input }: Call): boolean {
  return name === toolName && isInput?.(input) === true;
}

function addTo(sets: Map<string, Set<Call>>, name: string, call: Call): void {
  const known = sets.get(name);
  if (known) known.add(call);
  else sets.set(name, new Set([call]));
}

function shortened(id: string): string {
  return id.split("|", 1)[0]!;
}

/** Returns the names of the tools that a body offers. */
function offeredTools({ tools, toolConfig }: JsonObject): ReadonlySet<string> {
  const listed: unknown[] = Array.isArray(tools) ? tools : isObject(toolConfig) ? [toolConfig.tools].flat() : [];
  const named = listed.flatMap((tool): unknown[] => {
    if (!isObject(tool)) return [];
    const { name, function: own, toolSpec, functionDeclarations } = tool;
    if (Array.isArray(functionDeclarations)) return functionDeclarations as unknown[];
    return [{ name }, own, toolSpec];
  });
  return new Set(
    named.flatMap((tool) => (isObject(tool) && typeof tool.name === "string" && tool.name !== "" ? [tool.name] : [])),
  );
}

/** True for an item with a person's words: not of the model, no result of a tool. */
function isOfPerson(item: unknown): boolean {
  return isObject(item) && item.role === "user" && !/"tool_?result"|"functionResponse"/i.test(toJson(item));
}

function makeMessage(api: Api, text: string): JsonObject {
  if (api === "google-generative-ai") return { role: "user", parts: [{ text }] };
  if (api === "bedrock-converse-stream") return { role: "user", content: [{ text }] };
  return { role: "user", content: text };
}

function tell({ toolName, input, outcome }: RecordedCall): string {
  const called = section(`${HEAD}\nTool: ${nameInline(toolName)}. Input:`, cut(jsonInline(input ?? null), MAX_INPUT));
  if (outcome === "not_started") return `${called}\n${NOT_STARTED_CALL}`;
  if (outcome === "interrupted") return `${called}\n${INTERRUPTED_CALL}`;
  const { isError, content } = outcome.result;
  const heading = isError ? "The tool ended with an error:" : "The tool returned:";
  return `${called}\n${section(heading, cut(readText(content), MAX_RESULT))}`;
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`;
}
