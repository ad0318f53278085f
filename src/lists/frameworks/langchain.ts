/** Stored messages of LangChain, in Python and JavaScript: `{ type, data }`. */
import { isBlank, isObject, toArguments, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import { idKey } from "../../transcript/read.ts";
import { soundArguments } from "./arguments.ts";
import { opaque, SOURCE, UNJUDGED, type Framework, type Read } from "./paired.ts";

const ASSISTANT = new Set<unknown>(["ai", "AIMessageChunk"]);
const USER = new Set<unknown>(["human", "HumanMessageChunk"]);

function dataIn(row: JsonObject): JsonObject {
  return row.data as JsonObject;
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns calls as OpenAI has them, which LangChain reads where a message has no others. */
function rawCallsIn(data: JsonObject): JsonObject[] {
  const { tool_calls: calls, additional_kwargs: more } = data;
  const hasOthers = objectsIn(calls).length > 0 || objectsIn(data.invalid_tool_calls).length > 0;
  return !hasOthers && isObject(more) ? objectsIn(more.tool_calls) : [];
}

/** Returns the calls whose arguments could not be read, without those that are among the others too. */
function unreadCallsIn({ tool_calls: calls, invalid_tool_calls: unread }: JsonObject): JsonObject[] {
  const others = new Set(objectsIn(calls).map(({ id }) => idKey(id)));
  return objectsIn(unread).filter(({ id }) => !others.has(idKey(id)));
}

/** Ids of calls that have a result. */
type Answered = ReadonlySet<unknown>;

function answeredIn(rows: readonly unknown[]): Answered {
  return new Set(
    rows.flatMap((row) =>
      isObject(row) && row.type === "tool" && isObject(row.data) ? [idKey(row.data.tool_call_id)] : [],
    ),
  );
}

export const storedMessages: Framework = { ...formWith(new Set()), inList: (rows) => formWith(answeredIn(rows)) };

function formWith(answered: Answered): Framework {
  return {
    settle(row, note) {
      const data = dataIn(row);
      if (row.type === "tool") {
        if (data.content !== undefined && data.content !== null) return row;
        note({ kind: "invalid_result", blockIndex: -1, id: idKey(data.tool_call_id) });
        return { ...row, data: { ...data, content: "" } };
      }
      if (!ASSISTANT.has(row.type)) return row;
      const given = objectsIn(data.tool_calls);
      let blockIndex = blocksIn(data).length - 1;
      const calls = mapChanged(given, (call) => {
        blockIndex++;
        const args = soundArguments(call.args);
        if (args === call.args) return call;
        note({ kind: "invalid_arguments", blockIndex, id: idKey(call.id) });
        return { ...call, args };
      });
      // Some of LangChain's clients send calls that could not be read, with the cut arguments, and some leave them out.
      // A call that has a result stays: LangChain itself leaves it so.
      const open = unreadCallsIn(data).filter(({ id }) => !answered.has(idKey(id)));
      if (calls === given && open.length === 0) return row;
      for (const { id } of open) note({ kind: "invalid_arguments", blockIndex: -1, id: idKey(id) });
      const read = open.map(({ args, ...call }) => ({ ...call, args: toArguments(args), type: "tool_call" }));
      const unread = open.length > 0 && {
        invalid_tool_calls: (data.invalid_tool_calls as unknown[]).filter((call) => !open.includes(call as JsonObject)),
      };
      return { ...row, data: { ...data, tool_calls: [...calls, ...read], ...unread } };
    },

    read({ type, data }) {
      const saysBeside = hasTextBeside(data as JsonObject);
      if (USER.has(type))
        return [{ role: "user", content: blocksIn(data as JsonObject).length === 0 && !saysBeside ? "" : "opaque" }];
      if (type === "tool") return [readResult(data as JsonObject)];
      if (!ASSISTANT.has(type)) return [UNJUDGED];
      const beside = saysBeside ? [opaque((data as JsonObject).additional_kwargs)] : [];
      const blocks = [...blocksIn(data as JsonObject).map(opaque), ...callsIn(data as JsonObject), ...beside];
      return [{ role: "assistant", content: blocks }];
    },

    write([message], row) {
      const { role, content, toolCallId, toolName } = message!;
      if (role === "toolResult") {
        const blocks = content as Read[];
        const texts = blocks.map(({ text, [SOURCE]: source }) => (source ? resultText(source) : (text as string)));
        const text = texts.join("\n");
        const data = row ? dataIn(row) : { content: text, name: toolName, status: "error" };
        const merged = row && blocks.length > 1 && { content: text, ...joinedArtifacts(blocks) };
        return { ...(row ?? { type: "tool" }), data: { ...data, ...merged, tool_call_id: toolCallId } };
      }
      if (role !== "assistant") return row;
      return writeAssistant(content as Read[], row);
    },
  };
}

/** Returns the blocks of a message that say something; a text counts as one. */
function blocksIn({ content }: JsonObject): unknown[] {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return typeof content === "string" && isBlank(content) ? [] : [content];
  return content.filter(
    (block) => !(isObject(block) && block.type === "text" && typeof block.text === "string" && isBlank(block.text)),
  );
}

/** True for a message that keeps what it says beside its content: a refusal, reasoning, sound, a call of a function. */
function hasTextBeside({ additional_kwargs: more }: JsonObject): boolean {
  return isObject(more) && Object.entries(more).some(([field, value]) => field !== "tool_calls" && !isNothing(value));
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === "string") return isBlank(value);
  return typeof value === "object" && Object.keys(value).length === 0;
}

function callsIn(data: JsonObject): Read[] {
  return [
    ...objectsIn(data.tool_calls).map((call) => readCall(call, call.name)),
    ...unreadCallsIn(data).map((call) => readCall(call, call.name)),
    ...rawCallsIn(data).map((call) => readCall(call, isObject(call.function) ? call.function.name : undefined)),
  ];
}

function readCall(call: JsonObject, name: unknown): Read {
  return { type: "toolCall", id: call.id, name, arguments: {}, [SOURCE]: call };
}

function readResult(data: JsonObject): Read {
  // The artifact counts as content, so that of two results that differ only in it none is taken for a copy.
  const text = resultText(data) + (isNothing(data.artifact) ? "" : toJson(data.artifact));
  return {
    role: "toolResult",
    toolCallId: data.tool_call_id,
    ...(typeof data.name === "string" && { toolName: data.name }),
    content: [{ type: "text", text, [SOURCE]: data }],
    isError: false,
  };
}

function resultText({ content }: JsonObject): string {
  return typeof content === "string" && !isBlank(content) ? content : toJson(content);
}

/** Keeps the artifacts of joined results: the first one, and what others have beside it. */
function joinedArtifacts(blocks: readonly Read[]): JsonObject {
  const [artifact, ...further] = blocks.flatMap(({ [SOURCE]: data }) =>
    data && !isNothing(data.artifact) ? [data.artifact] : [],
  );
  const { additional_kwargs: more } = blocks[0]![SOURCE] ?? {};
  return {
    ...(artifact !== undefined && { artifact }),
    ...(further.length > 0 && {
      additional_kwargs: { ...(isObject(more) && more), further_artifacts: further },
    }),
  };
}

/** Writes an assistant message whose calls have other ids or names, or a call that the repair has added. */
function writeAssistant(blocks: readonly Read[], row: JsonObject | undefined): unknown {
  const calls = blocks.filter(({ type }) => type === "toolCall");
  if (!row) {
    const added = calls.map(({ id, name }) => ({ id, name, args: {}, type: "tool_call" }));
    const empty = { invalid_tool_calls: [], additional_kwargs: {}, response_metadata: {} };
    return { type: "ai", data: { content: "", tool_calls: added, ...empty } };
  }
  const data = dataIn(row);
  const written = new Map(calls.map((call) => [call[SOURCE], call]));
  /** New ids by the old ones: content of Anthropic's and raw calls of OpenAI name their calls too. */
  const renamed = new Map(calls.map((call) => [call[SOURCE]!.id, call.id]));
  /** Calls of which the repair has kept another copy. */
  const gone = new Set<unknown>(callsIn(data).flatMap(({ [SOURCE]: call }) => (written.has(call) ? [] : [call])));
  const goneIds = new Set([...gone].map((call) => (call as JsonObject).id).filter((id) => !renamed.has(id)));
  const renameAll = (list: unknown): unknown => {
    if (!Array.isArray(list)) return list;
    const kept = (list as unknown[]).filter((one) => !gone.has(one) && !(isObject(one) && goneIds.has(one.id)));
    return mapChanged(kept.length === list.length ? list : kept, (one) => renameCall(one, written, renamed));
  };
  const { additional_kwargs: more } = data;
  return {
    ...row,
    data: {
      ...data,
      content: renameAll(data.content),
      ...(data.tool_calls !== undefined && { tool_calls: renameAll(data.tool_calls) }),
      ...(data.invalid_tool_calls !== undefined && { invalid_tool_calls: renameAll(data.invalid_tool_calls) }),
      ...(isObject(more) &&
        more.tool_calls !== undefined && { additional_kwargs: { ...more, tool_calls: renameAll(more.tool_calls) } }),
    },
  };
}

const CALL_TYPES = new Set<unknown>(["tool_use", "tool_call", "invalid_tool_call", "function", undefined]);

function renameCall(
  call: unknown,
  written: ReadonlyMap<unknown, Read>,
  renamed: ReadonlyMap<unknown, unknown>,
): unknown {
  if (!isObject(call) || !CALL_TYPES.has(call.type)) return call;
  const own = written.get(call);
  const id = own ? own.id : (renamed.get(call.id) ?? call.id);
  const name = own && typeof call.function !== "object" ? own.name : call.name;
  const called =
    own && isObject(call.function) && call.function.name !== own.name
      ? { ...call.function, name: own.name }
      : call.function;
  if (id === call.id && name === call.name && called === call.function) return call;
  return { ...call, id, ...(name !== undefined && { name }), ...(called !== undefined && { function: called }) };
}
