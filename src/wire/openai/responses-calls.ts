/**
 * Calls that the client executes on OpenAI Responses, and their outputs: each type of call has its own type of output.
 */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { readText } from "../../transcript/json/text.ts";

/** A type of call with its type of output: how both are checked and read, and how an output is written. */
interface Family {
  output: string;
  /** True when the call's own fields are valid. */
  isCall(item: JsonObject): boolean;
  isOutput(item: JsonObject): boolean;
  /** Returns the tool's name, for the pairing and for texts. */
  readName(item: JsonObject): unknown;
  /** Returns the call's input. */
  readInput(item: JsonObject): unknown;
  /** Writes an output with this text; absent where the type has no field for text. */
  write?(words: string, call: JsonObject): JsonObject;
  /** Writes an output without content, where there is no field for text; absent where none can be made. */
  empty?(call: JsonObject): JsonObject;
}

export const isTextOrNone = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === "string";

/** The built-in tools. Calls of functions and custom tools are checked in responses-items.ts. */
const BUILT_IN: Record<string, Family> = {
  local_shell_call: {
    output: "local_shell_call_output",
    isCall: ({ action }) => isObject(action),
    isOutput: ({ output }) => typeof output === "string",
    readName: () => "local_shell",
    readInput: ({ action }) => action,
    write: (words) => ({ output: words }),
  },
  shell_call: {
    output: "shell_call_output",
    isCall: ({ action }) => isObject(action),
    isOutput: ({ output }) => Array.isArray(output) && output.every(isShellChunk),
    readName: () => "shell",
    readInput: ({ action }) => action,
    // The exit code is unknown; of the two possible outcomes only `timeout` has none.
    write: (words) => ({ output: [{ stdout: "", stderr: words, outcome: { type: "timeout" } }], status: "incomplete" }),
  },
  apply_patch_call: {
    output: "apply_patch_call_output",
    isCall: ({ operation, status }) => isObject(operation) && (status === "completed" || status === "in_progress"),
    isOutput: ({ status, output }) => (status === "completed" || status === "failed") && isTextOrNone(output),
    readName: () => "apply_patch",
    readInput: ({ operation }) => operation,
    write: (words) => ({ status: "failed", output: words }),
  },
  computer_call: {
    output: "computer_call_output",
    isCall: ({ action, actions }) => isObject(action) || Array.isArray(actions),
    isOutput: ({ output }) =>
      isObject(output) &&
      output.type === "computer_screenshot" &&
      (isScreenshotUrl(output.image_url) || typeof output.file_id === "string"),
    readName: () => "computer",
    readInput: ({ action, actions }) => action ?? actions,
  },
  tool_search_call: {
    output: "tool_search_output",
    isCall: () => true,
    isOutput: ({ tools }) => Array.isArray(tools) && tools.every(isObject),
    readName: () => "tool_search",
    readInput: ({ arguments: query }) => query,
    empty: ({ execution }) => ({ tools: [], execution: execution ?? "client", status: "incomplete" }),
  },
};

function isShellChunk(chunk: unknown): boolean {
  if (
    !isObject(chunk) ||
    typeof chunk.stdout !== "string" ||
    typeof chunk.stderr !== "string" ||
    !isObject(chunk.outcome)
  )
    return false;
  return chunk.outcome.type === "timeout" || chunk.outcome.type === "exit";
}

function isScreenshotUrl(url: unknown): boolean {
  return (
    typeof url === "string" && (/^https?:\/\//.test(url) || /^data:image\/[a-z0-9.+-]+;base64,/i.test(url.slice(0, 64)))
  );
}

const FUNCTIONS: Record<string, string> = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
};

const OUTPUTS = new Map<unknown, string>([
  ...Object.entries(FUNCTIONS).map(([call, output]): [unknown, string] => [output, call]),
  ...Object.entries(BUILT_IN).map(([call, { output }]): [unknown, string] => [output, call]),
]);

function findFamily(type: unknown): Family | undefined {
  return typeof type === "string" && Object.hasOwn(BUILT_IN, type) ? BUILT_IN[type] : undefined;
}

/** True for a tool search that the server executed: its call and its output stand alone. */
function isOfServer({ type, call_id: id, execution }: JsonObject): boolean {
  const isSearch = type === "tool_search_call" || type === "tool_search_output";
  return isSearch && (id === undefined || id === null || execution === "server");
}

/** True for a call that requires an output from the client. */
export function isCall(item: JsonObject): boolean {
  return (
    typeof item.type === "string" &&
    (Object.hasOwn(FUNCTIONS, item.type) || Object.hasOwn(BUILT_IN, item.type)) &&
    !isOfServer(item)
  );
}

export function isCallOutput(item: JsonObject): boolean {
  return OUTPUTS.has(item.type) && !isOfServer(item);
}

/** Returns the type of the calls that an output of this type answers. */
export function answeredType({ type }: JsonObject): string | undefined {
  return OUTPUTS.get(type);
}

/** True when an output answers calls of this type. A function's output answers any but a custom tool's. */
export function answers(output: JsonObject, callType: unknown): boolean {
  if (output.type === "function_call_output" && callType !== undefined) return callType !== "custom_tool_call";
  return answeredType(output) === callType;
}

/**
 * Returns the id of the call that an output names. SDKs write the one of a local shell call to `id`, which the server
 * does not read.
 */
export function readCallId(item: JsonObject): unknown {
  return item.type === "local_shell_call_output" ? (item.call_id ?? item.id) : item.call_id;
}

/**
 * Returns whether a call or output of a built-in tool has the fields that the API requires; undefined for other items.
 * Ids are checked separately.
 */
export function isBuiltIn(item: JsonObject): boolean | undefined {
  const call = findFamily(item.type);
  if (call) return call.isCall(item);
  const answered = findFamily(OUTPUTS.get(item.type));
  return answered?.isOutput(item);
}

/** Returns name and arguments of a call, for the pairing only; the item itself is sent. */
export function readCall(item: JsonObject): { name: unknown; input: unknown } {
  const family = findFamily(item.type);
  if (family) return { name: family.readName(item), input: { input: family.readInput(item) } };
  // The input of a custom tool is free text, not JSON.
  if (item.type === "custom_tool_call") return { name: item.name, input: { input: item.input ?? item.arguments } };
  return { name: item.name, input: item.arguments ?? item.input };
}

/** Returns the call with this id and name in its own type; undefined for any other than a built-in or custom call. */
export function writeCall(raw: JsonObject, id: unknown, name: unknown, read: JsonObject): JsonObject | undefined {
  if (findFamily(raw.type)) return raw.call_id === id ? raw : { ...raw, call_id: id };
  if (raw.type !== "custom_tool_call") return undefined;
  const input = typeof raw.input === "string" ? raw.input : readText(read.input);
  return raw.call_id === id && raw.name === name && raw.input === input ? raw : { ...raw, call_id: id, name, input };
}

/**
 * Writes the output of a call of a built-in tool: the one that was read where it has the right type, otherwise one with
 * this text. Text that the type has no field for is returned as `left`. Without an output the call must become text.
 */
export function writeBuiltInOutput(
  call: JsonObject,
  id: unknown,
  own: JsonObject | undefined,
  words: string,
): { output: JsonObject | undefined; left: string } {
  const family = findFamily(call.type)!;
  if (own && (own.type === "function_call_output" || (own.type === family.output && family.isOutput(own)))) {
    const { id: itemId, ...rest } = own;
    if (own.call_id === id) return { output: own, left: words };
    return {
      output: { ...rest, ...(itemId === undefined || itemId === readCallId(own) ? {} : { id: itemId }), call_id: id },
      left: words,
    };
  }
  const fields = family.write?.(words, call);
  if (fields) return { output: { type: family.output, call_id: id, ...fields }, left: "" };
  const empty = family.empty?.(call);
  return { output: empty && { type: family.output, call_id: id, ...empty }, left: words };
}

/** Returns the content of an output as text. */
export function outputText(item: JsonObject): string {
  const { type: _type, call_id: _callId, id: _id, status: _status, ...said } = item;
  return readText(Object.keys(said).length === 1 ? Object.values(said)[0] : said);
}
