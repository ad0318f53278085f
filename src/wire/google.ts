import { isDeeperThan, isObject, MAX_DEPTH, type JsonObject } from "../transcript/json.ts";
import { OPENING_TEXT } from "../transcript/repair.ts";
import { textOf } from "../transcript/text.ts";
import { callBlock, collector, isUntouched, opaqueMedia, opaqueThought, pick, pictureOf, RAW, resultMessage, textBlock, wordsOf, type Block, type BodyMessage, type Dialect } from "./model.ts";
import { endWithUser, toTurns } from "./turns.ts";
import { LIMITS, NO_SIGNATURE, PART_FIELDS, RESPONSE_FIELDS, dataField, isSignature, isId, isPart, isCallPart, isResponsePart } from "./google-parts.ts";

function checkBody(body: JsonObject): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { contents } = body;
  if (typeof contents === "string" && contents !== "") return violations;
  if (!Array.isArray(contents)) return [{ rule: "history_type", path: "contents" }];
  if (contents.length === 0) return [{ rule: "history_empty", path: "contents" }];
  const used = new Set<unknown>();
  let asked: JsonObject[] = [];
  let lastRole: unknown;
  contents.forEach((content: unknown, index) => {
    const path = `contents.${index}`;
    if (!isObject(content) || (content.role !== "user" && content.role !== "model")) return report("role", path);
    const { role, parts } = content;
    if (!Array.isArray(parts) || parts.length === 0) return report("empty_message", path);
    if (index === 0 && role !== "user") report("first_role", path);
    parts.forEach((part: unknown, at) => {
      if (!isPart(part, role)) report("invalid_part", `${path}.parts.${at}`);
    });
    const calls = parts.filter(isCallPart);
    const responses = parts.filter(isResponsePart);
    for (const part of calls) {
      const { id } = part.functionCall as JsonObject;
      if (id !== undefined && used.has(id)) report("duplicate_call_id", path);
      used.add(id);
    }
    if (calls.length > 0 && lastRole === "model") report("function_call_turn", path);
    if (responses.length !== asked.length) report("function_response_count", path);
    else if (!answersCalls(responses, asked)) report("function_response_match", path);
    if (needsSignature(body, calls)) report("thought_signature", path);
    asked = calls;
    lastRole = role;
    return undefined;
  });
  if (asked.length > 0) report("function_response_count", "contents");
  if (lastRole === "model") report("last_role", "contents");
  return violations;
}

/** True when every response answers a call of its own: that of its id, or of its name where there is no id. */
function answersCalls(responses: readonly JsonObject[], asked: readonly JsonObject[]): boolean {
  const open = [...asked];
  return responses.every((part, at) => {
    const response = part.functionResponse as JsonObject;
    const matches = (callPart: JsonObject | undefined): boolean => {
      const call = callPart?.functionCall as JsonObject | undefined;
      return call !== undefined && call.name === response.name && (call.id === undefined || response.id === undefined || call.id === response.id);
    };
    // Nearly always they stand in the order of the calls.
    const found = matches(asked[at]) && open.includes(asked[at]!) ? open.indexOf(asked[at]!) : open.findIndex(matches);
    if (found >= 0) open.splice(found, 1);
    return found >= 0;
  });
}

/** Gemini 3 refuses a step whose first call has no signature. */
function needsSignature(body: JsonObject, calls: readonly JsonObject[]): boolean {
  return typeof body.model === "string" && /(^|\/)gemini-3/i.test(body.model) && calls.length > 0 && calls[0]!.thoughtSignature === undefined;
}

function withoutBadSignature(part: JsonObject): JsonObject {
  if (isSignature(part.thoughtSignature)) return part;
  const { thoughtSignature: _bad, ...rest } = part;
  return rest;
}

function readPart(stored: unknown, role: string): Block {
  if (!isObject(stored)) return stored as Block;
  // Fields beside the content are dropped, a part that is no part of Gemini's is kept whole, to become text.
  const part = withoutBadSignature(dataField(stored) === undefined ? stored : pick(stored, PART_FIELDS));
  if (isPart(part, role)) {
    // A thought with its text counts as text, or it would be lost where nothing else is in its turn.
    if (typeof part.text === "string") return part.text === "" ? opaqueThought(part) : textBlock(part.text, part);
    return role === "user" ? opaqueMedia(part) : opaqueThought(part);
  }
  return typeof part.text === "string" && dataField(part) === "text" ? { type: "text", text: part.text } : part;
}

/** Gives calls without an id one by their place, and responses the id of the call they answer: same name, first come. */
class Ids {
  #open: { id: unknown; name: unknown }[] = [];
  call(call: JsonObject, place: string): unknown {
    const id = isId(call.id) && call.id !== undefined ? call.id : place;
    this.#open.push({ id, name: call.name });
    return id;
  }
  response(response: JsonObject, place: string): unknown {
    const at = this.#open.findLastIndex(({ id }) => response.id !== undefined && id === response.id);
    const byName = at >= 0 ? at : this.#open.findIndex(({ name }) => response.id === undefined && name === response.name);
    const found = byName >= 0 ? this.#open.splice(byName, 1)[0] : undefined;
    return found?.id ?? response.id ?? place;
  }
}

function readBody(body: JsonObject): BodyMessage[] {
  const { contents } = body;
  const list: unknown[] = Array.isArray(contents) ? contents : typeof contents === "string" ? [{ role: "user", parts: [{ text: contents }] }] : [];
  const ids = new Ids();
  return list.flatMap((content, index) => {
    if (!isObject(content)) return [content as BodyMessage];
    const parts: unknown[] = Array.isArray(content.parts) ? content.parts : [content.parts];
    if (content.role === "model" || content.role === "assistant") {
      const blocks = parts.map((part, at) => {
        if (!isCallPart(part)) return readPart(part, "model");
        const call = part.functionCall as JsonObject;
        return callBlock(ids.call(call, `call_${index}_${at}`), call.name, call.args, part);
      });
      return [{ role: "assistant", content: blocks } as BodyMessage];
    }
    const results = parts.flatMap((part, at) => {
      if (!isResponsePart(part)) return [];
      const response = part.functionResponse as JsonObject;
      const text = isObject(response.response) && Object.keys(response.response).length === 1 ? Object.values(response.response)[0] : response.response;
      return [resultMessage(ids.response(response, `response_${index}_${at}`), response.name, [{ type: "text", text: textOf(text) }], false, part)];
    });
    const rest = parts.filter((part) => !isResponsePart(part)).map((part) => readPart(part, "user"));
    const own: BodyMessage[] = rest.length > 0 ? [{ role: "user", content: rest }] : [];
    return [...results, ...own];
  });
}

function writePart(block: Block): JsonObject[] {
  const raw = block[RAW];
  if (block.type === "toolCall") {
    const { id, name, arguments: args } = block;
    const stored = raw?.functionCall as JsonObject | undefined;
    const signature = isSignature(raw?.thoughtSignature ?? block.thoughtSignature) ? (raw?.thoughtSignature ?? block.thoughtSignature) : undefined;
    const withId = stored?.id === undefined ? {} : { id };
    return [{ functionCall: { ...withId, name, args }, ...(signature === undefined ? {} : { thoughtSignature: signature }) }];
  }
  if (raw) return [raw];
  const picture = pictureOf(block);
  if (picture) return [{ inlineData: picture }];
  const text = wordsOf(block);
  return text === "" ? [] : [{ text }];
}

function writeResult(result: BodyMessage, call: Block | undefined): JsonObject {
  const raw = result[RAW];
  const stored = raw?.functionResponse;
  const name = call?.name ?? result.toolName;
  const withId = (call?.[RAW]?.functionCall as JsonObject | undefined)?.id !== undefined ? { id: result.toolCallId } : {};
  if (isObject(stored) && isUntouched(result) && isObject(stored.response) && !isDeeperThan(stored.response, MAX_DEPTH)) {
    const { id: _id, ...rest } = pick(stored, RESPONSE_FIELDS);
    return { functionResponse: { ...rest, ...withId, name } };
  }
  const text = (result.content as Block[]).map((block) => textOf(block[RAW] ?? block)).join("\n");
  return { functionResponse: { ...withId, name, response: result.isError === true ? { error: text } : { output: text } } };
}

function writeBody(messages: readonly BodyMessage[], body: JsonObject): unknown {
  const written: JsonObject[] = [];
  let calls: Block[] = [];
  for (const { role, results, blocks } of endWithUser(toTurns(messages))) {
    if (results.length > 0) {
      // The responses are a turn of their own, in the order of the calls.
      const inOrder = results.toSorted((a, b) => callIndex(calls, a) - callIndex(calls, b));
      written.push({ role: "user", parts: inOrder.map((result) => writeResult(result, calls[callIndex(calls, result)])) });
    }
    const parts = blocks.flatMap((block) => writePart(block));
    if (role === "assistant") calls = blocks.filter((block) => block.type === "toolCall");
    const firstCall = parts.find(isCallPart);
    if (firstCall && needsSignature(body, [firstCall])) firstCall.thoughtSignature = NO_SIGNATURE;
    if (parts.length > 0) written.push({ role: role === "assistant" ? "model" : "user", parts });
  }
  return written.length > 0 ? written : [{ role: "user", parts: [{ text: OPENING_TEXT }] }];
}

function callIndex(calls: readonly Block[], result: BodyMessage): number {
  return calls.findIndex((call) => call.id === result.toolCallId);
}

/** Gemini generateContent. */
export const google: Dialect = { field: "contents", limits: () => LIMITS, check: checkBody, read: readBody, write: writeBody };
