import { isObject, type JsonObject, parsedJson } from "../../transcript/json/json.ts";
import { isJson, plainCopy } from "../../transcript/json/plain.ts";
import { INTERRUPTED_CALL, readText } from "../../transcript/json/text.ts";
import type { CallToRun, ConversationJournal } from "./conversation.ts";
import { JournalError, journalError } from "../errors.ts";
import type { CycleResult, ToolCycle } from "../tool-cycles.ts";

/** The conversation in which a tool is called: the same for all calls, or found anew for each. */
export type CurrentConversation = ConversationJournal | (() => ConversationJournal | undefined);

type Run = (...given: unknown[]) => unknown;

/** How the tools of a framework are called. */
interface Form {
  /** The method that runs the tool. */
  readonly method: string;
  read(given: readonly unknown[]): { id?: unknown; input: unknown };
  /** Where an error that a tool throws ends the run: what a call is told in its place. */
  readonly isToldInText: boolean;
}

const FORMS: readonly Form[] = [
  // LangChain's and LangGraph's structured tools.
  {
    method: "_call",
    read: ([input, , config]) => ({ id: field(field(config, "toolCall"), "id"), input }),
    isToldInText: true,
  },
  // pi-agent-core's, whose first argument is the id; AI SDK's, and Mastra's with the id a level deeper.
  {
    method: "execute",
    read: ([first, second]) =>
      typeof first === "string" && isObject(second) && !("toolCallId" in second)
        ? { id: first, input: second }
        : { id: field(second, "toolCallId") ?? field(field(second, "agent"), "toolCallId"), input: first },
    isToldInText: false,
  },
  // @openai/agents.
  {
    method: "invoke",
    read: ([, json, details]) => ({
      id: field(field(details, "toolCall"), "callId"),
      input: typeof json === "string" ? (parsedJson(json) ?? json) : json,
    }),
    isToldInText: true,
  },
  // The tool runner of Anthropic's SDK.
  {
    method: "run",
    read: ([input, context]) => {
      const use = field(context, "toolUseBlock") ?? field(context, "toolUse");
      return { id: field(use, "id"), input };
    },
    isToldInText: false,
  },
];

/**
 * Returns a tool whose calls outlive a kill of the process: each is in the journal before the tool runs, and its result
 * as soon as the tool returns. Takes a tool of AI SDK, pi-agent-core, Mastra, LangChain, `@openai/agents` or
 * Anthropic's tool runner, by its method `execute`, `_call`, `invoke` or `run`; all else of the tool is as it was.
 *
 * - A `healingFetch` with the same journal tells the model of each call: the result, that the call may have run, or
 *   that it was not started, whatever became of the framework's messages.
 * - A framework that continues where it was killed, and calls the tool once more with the same call, gets the recorded
 *   result; of a call that may have run, it gets an error that says so. The tool is not run again. Only with such a
 *   fetch: without, an id that a provider uses again cannot be told from a repeated call.
 * - What the tool throws is recorded as its error and thrown on. An aborted call stays one that may have run.
 * - Where the journal cannot be written, the tool runs without it, and a warning of the process says so once. Where its
 *   file was deleted, the tool does not run: a call throws a JournalError `missing` until the journal is opened again.
 *
 * `name` is needed where the tool itself has none, as in AI SDK. Throws a JournalError `bad-input` for a tool of no
 * known form.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { ConversationJournal, durableTool, openJournal } from "openclaw-integrity/journal";
 *
 * const journal = openJournal(":memory:");
 * const conversation = new ConversationJournal(journal, "chat-42");
 * // A tool of AI SDK, which knows its name by its place among the tools.
 * const pay = { execute: async ({ euros }: { euros: number }, _call: { toolCallId: string }) => `paid ${euros}` };
 * const tools = { pay: durableTool(pay, conversation, "pay") };
 * assert.equal(await tools.pay.execute({ euros: 5 }, { toolCallId: "call_1" }), "paid 5");
 * assert.deepEqual(conversation.open().map(({ callId, input }) => [callId, input]), [["call_1", { euros: 5 }]]);
 * journal.close();
 * ```
 */
export function durableTool<Tool extends object>(tool: Tool, conversation: CurrentConversation, name?: string): Tool {
  const form = FORMS.find(({ method }) => typeof field(tool, method) === "function");
  const toolName =
    name ?? [field(tool, "name"), field(tool, "id")].find((one) => typeof one === "string" && one !== "");
  if (!form || typeof toolName !== "string") throw badTool(form, tool);
  if (typeof conversation !== "function") conversation.covers(toolName);
  const run = field(tool, form.method) as Run;
  /** Calls of LangChain that are told in text that they failed, or may have run. */
  const failed = new Set<unknown>();
  const durable = function (this: unknown, ...given: unknown[]): unknown {
    const runIt = (): unknown => Reflect.apply(run, this === wrapped ? tool : this, given);
    const current = typeof conversation === "function" ? attempt(conversation) : conversation;
    if (!current) return runIt();
    current.covers(toolName);
    const { id, input } = form.read(given);
    const callId = typeof id === "string" && id !== "" ? id : undefined;
    // LangChain's pair of what the model is shown and what the program keeps.
    const isPair = form.method === "_call" && field(tool, "responseFormat") === "content_and_artifact";
    return runDurably(current, { callId, toolName, input }, { form, isPair, failed, run: runIt });
  };
  const own = { [form.method]: durable, ...(form.method === "_call" && withErrorStatus(tool, failed)) };
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(tool) as object | null);
  // The methods of an instance find its fields, and `instanceof` holds.
  const wrapped = (isPlain ? { ...tool, ...own } : Object.assign(Object.create(tool) as object, own)) as Tool;
  return wrapped;
}

/** LangChain makes a message of success of each text that a tool returns. */
function withErrorStatus(tool: object, failed: Set<unknown>): JsonObject | undefined {
  const invoke = field(tool, "invoke");
  if (typeof invoke !== "function") return undefined;
  return {
    async invoke(this: unknown, ...given: unknown[]): Promise<unknown> {
      const message: unknown = await Reflect.apply(invoke, this, given);
      if (isObject(message) && failed.delete(message.tool_call_id)) message.status = "error";
      return message;
    },
  };
}

/** What runs, and how that is told. */
interface Running {
  readonly form: Form;
  readonly failed: Set<unknown>;
  readonly isPair: boolean;
  readonly run: () => unknown;
}

function runDurably(conversation: ConversationJournal, call: CallToRun, running: Running): unknown {
  const { isPair, run } = running;
  const begun = attempt(() => conversation.findBegun(call));
  if (begun) return replay(begun, running);
  let cycle: number;
  try {
    cycle = conversation.begin(call);
  } catch (error) {
    // With the file, all that is known of earlier calls is gone: no tool runs on.
    if (error instanceof JournalError && error.code === "missing") return Promise.reject(error);
    warn(error);
    return run();
  }
  const keep = new Keeper(conversation, cycle, isPair);
  try {
    const returned = run();
    if (isThenable(returned)) return followed(returned, keep);
    if (isAsyncIterable(returned)) return withLast(returned, keep);
    keep.returned(returned);
    return returned;
  } catch (error) {
    keep.threw(error);
    throw error;
  }
}

/** Gives what a call returned before, or says that nobody knows. */
async function replay({ callId, result }: ToolCycle, { form, failed }: Running): Promise<unknown> {
  const text = result ? readText(result.content) : INTERRUPTED_CALL;
  if (result && !result.isError)
    return isObject(result.details) && result.details.isText === true ? text : result.content;
  if (!form.isToldInText) throw new Error(text);
  failed.add(callId);
  return text;
}

async function followed(promise: PromiseLike<unknown>, keep: Keeper): Promise<unknown> {
  try {
    const value = await promise;
    if (isAsyncIterable(value)) return withLast(value, keep);
    keep.returned(value);
    return value;
  } catch (error) {
    keep.threw(error);
    throw error;
  }
}

/** A tool that gives preliminary results has the last one as its result. */
async function* withLast(values: AsyncIterable<unknown>, keep: Keeper): AsyncGenerator {
  let last: unknown;
  let isDone = false;
  try {
    for await (const value of values) yield (last = value);
    isDone = true;
  } catch (error) {
    keep.threw(error);
    throw error;
  } finally {
    // Nobody reads on: what the tool has done by then is not known.
    if (!isDone) keep.left();
  }
  keep.returned(last);
}

/** Writes how a call ends; never throws. */
class Keeper {
  readonly #conversation: ConversationJournal;
  readonly #cycle: number;
  readonly #isPair: boolean;

  constructor(conversation: ConversationJournal, cycle: number, isPair: boolean) {
    this.#conversation = conversation;
    this.#cycle = cycle;
    this.#isPair = isPair;
  }

  returned(value: unknown): void {
    const isText = value !== undefined && !isJson(value);
    const isPair = this.#isPair && Array.isArray(value) && value.length === 2;
    const details = { ...(isText && { isText }), ...(isPair && { isPair }) };
    this.#record({ content: plainCopy(value), isError: isFailure(value), ...((isText || isPair) && { details }) });
  }

  threw(error: unknown): void {
    // LangGraph ends a run so that a person can answer, and calls the tool again from its beginning.
    if (field(error, "is_bubble_up") === true) attempt(() => this.#conversation.postponed(this.#cycle));
    else if (field(error, "name") === "AbortError") this.left();
    else this.#record({ content: error instanceof Error ? error.message : readText(plainCopy(error)), isError: true });
  }

  left(): void {
    attempt(() => this.#conversation.broken(this.#cycle));
  }

  #record(result: CycleResult): void {
    attempt(() => this.#conversation.returned(this.#cycle, result));
  }
}

/** True for a result that says itself that it is an error, as those of MCP do. */
function isFailure(value: unknown): boolean {
  return isObject(value) && value.isError === true;
}

let isWarned = false;

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    warn(error);
    return undefined;
  }
}

function warn(error: unknown): void {
  if (!isWarned) process.emitWarning(`Tools run without their journal: ${readText((error as Error).message)}`);
  isWarned = true;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof field(value, "then") === "function";
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof (value as { [Symbol.asyncIterator]?: unknown } | null | undefined)?.[Symbol.asyncIterator] === "function"
  );
}

/** Reads a field of an object or a function; undefined for any other value. */
function field(value: unknown, key: string): unknown {
  return typeof value === "function" || isObject(value) ? (value as JsonObject)[key] : undefined;
}

function badTool(form: Form | undefined, tool: object): Error {
  return journalError("bad-input", {
    expected: form
      ? "a tool with a name, or its name as the third argument of durableTool"
      : `a tool with one of the methods ${FORMS.map(({ method }) => method).join(", ")}`,
    found: `one with the fields ${Object.keys(tool).slice(0, 20).join(", ") || "(none)"}`,
    todo: form ? "Pass the name under which the model knows the tool." : "Pass the tool as its framework takes it.",
  });
}
