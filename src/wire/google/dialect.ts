import { isDeeperThan, MAX_DEPTH } from "../../transcript/json/depth.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { Sound } from "../../transcript/json/sound.ts";
import { OPENING_TEXT } from "../../transcript/repair.ts";
import { textOf } from "../../transcript/json/text.ts";
import {
  callBlock,
  collector,
  isUntouched,
  opaqueMedia,
  opaqueThought,
  pick,
  pictureOf,
  RAW,
  resultMessage,
  textBlock,
  wordsOf,
  type Block,
  type BodyMessage,
  type Dialect,
} from "../model.ts";
import { callsBeside, contentOf, isAssistantRole, itemsOf, wholeResult } from "../foreign.ts";
import { endWithUser, toTurns } from "../turns.ts";
import { OpenCalls } from "./calls.ts";
import {
  LIMITS,
  NO_SIGNATURE,
  PART_FIELDS,
  RESPONSE_FIELDS,
  dataField,
  isSignature,
  isId,
  isPart,
  isCallPart,
  isResponsePart,
} from "./parts.ts";

const NONE: readonly JsonObject[] = [];

function checkBody(body: JsonObject, model: string, sound: Sound): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { contents } = body;
  if (typeof contents === "string" && contents !== "") {
    sound.text(contents);
    return violations;
  }
  if (!Array.isArray(contents)) return [{ rule: "history_type", path: "contents" }];
  if (contents.length === 0) return [{ rule: "history_empty", path: "contents" }];
  const used = new Set<unknown>();
  let asked: readonly JsonObject[] = NONE;
  let lastRole: unknown;
  for (let index = 0; index < contents.length; index++) {
    const content: unknown = contents[index];
    if (!isObject(content) || (content.role !== "user" && content.role !== "model")) {
      report("role", "contents", index);
      continue;
    }
    const { role, parts } = content;
    if (!Array.isArray(parts) || parts.length === 0) {
      report("empty_message", "contents", index);
      continue;
    }
    if (index === 0 && role !== "user") report("first_role", "contents", index);
    sound.fields(content, isShown);
    for (let at = 0; at < parts.length; at++)
      if (!isPart(parts[at], role, sound)) report("invalid_part", "contents", index, "parts", at);
    const calls = role === "model" && parts.some(isCallPart) ? parts.filter(isCallPart) : NONE;
    const responses = role === "user" && parts.some(isResponsePart) ? parts.filter(isResponsePart) : NONE;
    for (const part of calls) {
      const { id } = part.functionCall as JsonObject;
      if (id === undefined) continue;
      if (used.has(id)) report("duplicate_call_id", "contents", index);
      used.add(id);
    }
    if (calls.length > 0 && lastRole === "model") report("function_call_turn", "contents", index);
    if (responses.length !== asked.length) report("function_response_count", "contents", index);
    else if (!answersCalls(responses, asked)) report("function_response_match", "contents", index);
    if (calls.length > 0 && needsSignature(model, calls)) report("thought_signature", "contents", index);
    asked = calls;
    lastRole = role;
  }
  if (asked.length > 0) report("function_response_count", "contents");
  if (lastRole === "model") report("last_role", "contents");
  return violations;
}

/** True for the fields that the rules look at themselves. */
function isShown(field: string): boolean {
  return field === "role" || field === "parts";
}

/** True when each response answers a different call: the one with its id, or with its name where there is no id. */
function answersCalls(responses: readonly JsonObject[], asked: readonly JsonObject[]): boolean {
  if (responses.every((part, at) => isAnswer(part, asked[at]))) return true;
  const open = new OpenCalls();
  for (const { functionCall } of asked) open.add(functionCall as JsonObject, 0);
  return responses.every((part) => {
    const { id, name } = part.functionResponse as JsonObject;
    return open.takeAnswered(id, name) !== undefined;
  });
}

/** True when a response answers the call at the same position, as nearly all do. */
function isAnswer(part: JsonObject, callPart: JsonObject | undefined): boolean {
  const call = callPart?.functionCall as JsonObject | undefined;
  const response = part.functionResponse as JsonObject;
  return (
    call !== undefined &&
    call.name === response.name &&
    (call.id === undefined || response.id === undefined || call.id === response.id)
  );
}

/** True when a signature is missing: Gemini 3 refuses a step whose first call has none. */
function needsSignature(model: string, calls: readonly JsonObject[]): boolean {
  return /(^|\/)gemini-3/i.test(model) && calls.length > 0 && calls[0]!.thoughtSignature === undefined;
}

function withoutBadSignature(part: JsonObject): JsonObject {
  if (isSignature(part.thoughtSignature)) return part;
  const { thoughtSignature: _bad, ...rest } = part;
  return rest;
}

function readPart(stored: unknown, role: string): Block {
  if (!isObject(stored)) return stored as Block;
  // Unknown fields of a Gemini part are dropped. A value that is no Gemini part is kept whole, to become text.
  const part = withoutBadSignature(dataField(stored) === undefined ? stored : pick(stored, PART_FIELDS));
  if (isPart(part, role)) {
    // A thought with a text is read as text: as thinking it would be lost where its turn has no other content.
    if (typeof part.text === "string") return part.text === "" ? opaqueThought(part) : textBlock(part.text, part);
    return role === "user" ? opaqueMedia(part) : opaqueThought(part);
  }
  return typeof part.text === "string" && dataField(part) === "text" ? { type: "text", text: part.text } : part;
}

/** Assigns ids: to calls without an id by their place, to responses that of the call they answer. */
class Ids {
  readonly #open = new OpenCalls();

  call(call: JsonObject, turn: number, place: string): unknown {
    const id = isId(call.id) && call.id !== undefined ? call.id : place;
    this.#open.add({ id, name: call.name }, turn);
    return id;
  }

  /**
   * Returns ids for the responses of one turn: of the call with the same id, or of the first open one with the same
   * name. When as many responses remain as the turn before has open calls, they answer those in order: their names were
   * changed on the way.
   */
  responses(responses: readonly JsonObject[], turn: number): unknown[] {
    const found = responses.map(({ id, name }) =>
      id === undefined ? this.#open.takeNamed(name) : this.#open.takeById(id),
    );
    const left = found.filter((call) => call === undefined).length;
    const before = left > 0 ? this.#open.ofTurn(turn - 1) : [];
    if (left > 0 && left === before.length) {
      let next = 0;
      return found.map((call) => (call ?? this.#open.take(before[next++]!)).id);
    }
    return found.map((call, at) => call?.id ?? responses[at]!.id ?? `response_${turn}_${at}`);
  }
}

function readBody(body: JsonObject): BodyMessage[] {
  const ids = new Ids();
  return itemsOf(body.contents).flatMap((content, index) => {
    if (!isObject(content)) return [content as BodyMessage];
    const result = wholeResult(content);
    if (result) return [result];
    const parts = [...contentOf(content, "parts"), ...callsBeside(content)];
    if (isAssistantRole(content.role)) {
      const blocks = parts.map((part, at) => {
        if (!isCallPart(part)) return readPart(part, "model");
        const call = part.functionCall as JsonObject;
        return callBlock(ids.call(call, index, `call_${index}_${at}`), call.name, call.args, part);
      });
      return [{ role: "assistant", content: blocks } as BodyMessage];
    }
    const answers = parts.filter(isResponsePart);
    const answered = ids.responses(
      answers.map((part) => part.functionResponse as JsonObject),
      index,
    );
    const results = answers.map((part, at) => {
      const { name, response } = part.functionResponse as JsonObject;
      const said = isObject(response) && Object.keys(response).length === 1 ? Object.values(response)[0] : response;
      return resultMessage(answered[at], name, [{ type: "text", text: textOf(said) }], false, part);
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
    const signature = isSignature(raw?.thoughtSignature ?? block.thoughtSignature)
      ? (raw?.thoughtSignature ?? block.thoughtSignature)
      : undefined;
    const withId = stored?.id === undefined ? {} : { id };
    return [
      { functionCall: { ...withId, name, args }, ...(signature === undefined ? {} : { thoughtSignature: signature }) },
    ];
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
  const withId =
    (call?.[RAW]?.functionCall as JsonObject | undefined)?.id !== undefined ? { id: result.toolCallId } : {};
  if (
    isObject(stored) &&
    isUntouched(result) &&
    isObject(stored.response) &&
    !isDeeperThan(stored.response, MAX_DEPTH)
  ) {
    const { id: _id, ...rest } = pick(stored, RESPONSE_FIELDS);
    return { functionResponse: { ...rest, ...withId, name } };
  }
  const text = (result.content as Block[]).map((block) => textOf(block[RAW] ?? block)).join("\n");
  return {
    functionResponse: { ...withId, name, response: result.isError === true ? { error: text } : { output: text } },
  };
}

function writeBody(messages: readonly BodyMessage[], _body: JsonObject, model: string): unknown {
  const written: JsonObject[] = [];
  let calls: Block[] = [];
  for (const { role, results, blocks } of endWithUser(toTurns(messages))) {
    if (results.length > 0) {
      // The responses are a separate turn, in the order of the calls.
      const places = new Map(calls.map(({ id }, at) => [id, at]));
      const placeOf = ({ toolCallId }: BodyMessage): number => places.get(toolCallId) ?? -1;
      const inOrder = results.toSorted((a, b) => placeOf(a) - placeOf(b));
      written.push({ role: "user", parts: inOrder.map((result) => writeResult(result, calls[placeOf(result)])) });
    }
    const parts = blocks.flatMap((block) => writePart(block));
    if (role === "assistant") calls = blocks.filter((block) => block.type === "toolCall");
    const firstCall = parts.find(isCallPart);
    if (firstCall && needsSignature(model, [firstCall])) firstCall.thoughtSignature = NO_SIGNATURE;
    if (parts.length > 0) written.push({ role: role === "assistant" ? "model" : "user", parts });
  }
  return written.length > 0 ? written : [{ role: "user", parts: [{ text: OPENING_TEXT }] }];
}

/** Gemini generateContent. */
export const google: Dialect = {
  field: "contents",
  limits: () => LIMITS,
  check: checkBody,
  read: readBody,
  write: writeBody,
};
