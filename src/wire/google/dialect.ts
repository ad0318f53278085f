/** Gemini: the rules that a body breaks, and a body that breaks none. */
import { addAll } from "../../transcript/json/list.ts";
import { isDeeperThan, MAX_DEPTH } from "../../transcript/json/depth.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { SoundnessWalk } from "../../transcript/json/soundness-walk.ts";
import { OPENING_TEXT } from "../../transcript/repair.ts";
import { readText } from "../../transcript/json/text.ts";
import {
  callBlock,
  collector,
  isUntouched,
  opaqueMedia,
  opaqueThought,
  pick,
  readPicture,
  placed,
  RAW,
  resultMessage,
  textBlock,
  withJoinedCallers,
  blockText,
  type Block,
  type BodyMessage,
  type Dialect,
  type Part,
} from "../model.ts";
import { callsBeside, listContent, isAssistantRole, toItems, wholeResult } from "../foreign.ts";
import type { Target } from "../target.ts";
import { endWithUser, toTurns } from "../turns.ts";
import { OpenCalls } from "./calls.ts";
import {
  LIMITS,
  NO_SIGNATURE,
  PART_FIELDS,
  RESPONSE_FIELDS,
  dataField,
  inCamelCase,
  isSignature,
  isId,
  isPart,
  isCallPart,
  isResponsePart,
} from "./parts.ts";

const NONE: readonly JsonObject[] = [];

function checkBody(body: JsonObject, target: Target, walk: SoundnessWalk): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { contents } = body;
  if (typeof contents === "string" && contents !== "") {
    walk.text(contents);
    return violations;
  }
  if (!Array.isArray(contents)) return [{ rule: "history_type", path: "contents" }];
  if (contents.length === 0) return [{ rule: "history_empty", path: "contents" }];
  const signed = mustBeSigned(target) ? turnStart(contents) : contents.length;
  let asked: JsonObject[] = [];
  let caller = 0;
  let lastRole: unknown;
  for (let index = 0; index < contents.length; index++) {
    const content: unknown = contents[index];
    const role = isObject(content) ? toSide(content) : undefined;
    if (!isObject(content) || role === undefined) {
      report("role", "contents", index);
      continue;
    }
    if (!Array.isArray(content.parts) || content.parts.length === 0) {
      report("empty_message", "contents", index);
      continue;
    }
    const parts = content.parts.some(hasSnakeCase) ? content.parts.map(inCamelCase) : (content.parts as unknown[]);
    if (index === 0 && role !== "user") report("first_role", "contents", index);
    walk.fields(content, isShown);
    for (let at = 0; at < parts.length; at++)
      if (!isPart(parts[at], role, walk)) report("invalid_part", "contents", index, "parts", at);
    const calls = role === "model" && parts.some(isCallPart) ? parts.filter(isCallPart) : NONE;
    const responses = role === "user" && parts.some(isResponsePart) ? parts.filter(isResponsePart) : NONE;
    if (index >= signed && lacksSignature(calls)) report("thought_signature", "contents", index);
    // Model contents in a row are one turn.
    if (role === "model" && lastRole === "model") {
      addAll(asked, calls);
    } else {
      if (responses.length !== asked.length)
        report("function_response_count", "contents", asked.length > 0 ? caller : index);
      else if (!answersCalls(responses, asked)) report("function_response_match", "contents", index);
      asked = [...calls];
    }
    if (calls.length > 0) caller = index;
    lastRole = role;
  }
  if (asked.length > 0) report("function_response_count", "contents", caller);
  if (lastRole === "model") report("last_role", "contents");
  return violations;
}

/** Returns the side of a content; undefined for a role that the server does not know. */
function toSide({ role }: JsonObject): "user" | "model" | undefined {
  if (role === "model") return role;
  return role === "user" || role === "function" || role === undefined ? "user" : undefined;
}

function hasSnakeCase(part: unknown): boolean {
  return inCamelCase(part) !== part;
}

/** True for the fields that the rules look at themselves. */
function isShown(field: string): boolean {
  return field === "role" || field === "parts";
}

/** True when the responses have the ids of the calls. Where an id is missing they answer in their order. */
function answersCalls(responses: readonly JsonObject[], asked: readonly JsonObject[]): boolean {
  if (responses.every((part, at) => ownId(part.functionResponse) === ownId(asked[at]?.functionCall))) return true;
  const answeredIds = responses.map((part) => ownId(part.functionResponse)).toSorted();
  const askedIds = asked.map((part) => ownId(part.functionCall)).toSorted();
  return (
    answeredIds.includes(undefined) ||
    askedIds.includes(undefined) ||
    answeredIds.every((id, at) => id === askedIds[at])
  );
}

function ownId(half: unknown): unknown {
  return (half as JsonObject | undefined)?.id;
}

/** True for Gemini 3, which refuses a step of the current turn whose first call has no signature. */
function mustBeSigned({ model }: Target): boolean {
  return /(^|\/)gemini-3/i.test(model);
}

/** Returns where the current turn begins: behind the last content of the user's that is no response. */
function turnStart(contents: readonly unknown[]): number {
  return contents.findLastIndex(isAsked) + 1;
}

function isAsked(content: unknown): boolean {
  if (!isObject(content) || content.role === "model") return false;
  return !(Array.isArray(content.parts) && content.parts.some((part) => isResponsePart(inCamelCase(part))));
}

function lacksSignature(calls: readonly JsonObject[]): boolean {
  return calls.length > 0 && calls[0]!.thoughtSignature === undefined;
}

function withoutBadSignature(part: JsonObject): JsonObject {
  if (isSignature(part.thoughtSignature)) return part;
  const { thoughtSignature: _bad, ...rest } = part;
  return rest;
}

function readPart(given: unknown, role: string): Block {
  const stored = inCamelCase(given);
  if (!isObject(stored)) return stored as Block;
  // Unknown fields of a Gemini part are dropped. A value that is no Gemini part is kept whole, to become text.
  const part = withoutBadSignature(dataField(stored) === undefined ? stored : pick(stored, PART_FIELDS));
  if (isPart(part, role)) {
    // A thought with a text is read as text: as thinking it would be lost where its turn has no other content.
    if (typeof part.text === "string" && part.text !== "") return textBlock(part.text, part);
    return role === "user" ? opaqueMedia(part) : opaqueThought(part);
  }
  return typeof part.text === "string" && dataField(part) === "text" ? { type: "text", text: part.text } : part;
}

/** Stands for the media of a response where the response itself is not sent. */
const MEDIA = "[The response had media.]";

/** Assigns ids: to calls without an id by their place, to responses that of the call they answer. */
class Ids {
  readonly #open = new OpenCalls();
  /** Ids that a response of the body names: no other response answers a call with one of these by its place. */
  readonly #named: ReadonlySet<unknown>;
  /** Ids that are places. */
  readonly #places = new Set<unknown>();

  constructor(contents: readonly unknown[]) {
    this.#named = new Set(
      contents.flatMap((content) =>
        isObject(content) && Array.isArray(content.parts) ? content.parts.map(inCamelCase).flatMap(namedIn) : [],
      ),
    );
  }

  call(call: JsonObject, turn: number, place: string): unknown {
    const id = isId(call.id) && call.id !== undefined ? call.id : place;
    if (id === place) this.#places.add(place);
    this.#open.add({ id, name: call.name }, turn);
    return id;
  }

  /**
   * Returns ids for the responses of one turn: of the call with the same id, or of the first open one with the same
   * name, in the turn before where it has one. When as many responses remain as the turn before has open calls, they
   * answer those in order: their names were changed on the way.
   */
  responses(responses: readonly JsonObject[], turn: number): unknown[] {
    const found = responses.map(({ id, name }) =>
      id === undefined ? this.#open.takeNamed(name, turn - 1) : this.#open.takeById(id),
    );
    const unmatched = found.filter((call) => call === undefined).length;
    const openBefore = unmatched > 0 ? this.#open.ofTurn(turn - 1).filter(({ id }) => !this.#named.has(id)) : [];
    const rest = responses.filter((_, at) => found[at] === undefined);
    if (
      unmatched > 0 &&
      unmatched === openBefore.length &&
      rest.every((response, at) => this.#mayAnswer(response, openBefore[at]!))
    ) {
      let next = 0;
      return found.map((call) => (call ?? this.#open.take(openBefore[next++]!)).id);
    }
    return found.map((call, at) => call?.id ?? responses[at]!.id ?? `response_${turn}_${at}`);
  }

  /** Whether a response may answer a call: one of them has no id, or both name the same function. */
  #mayAnswer(response: JsonObject, call: { id: unknown; name: unknown }): boolean {
    return response.id === undefined || this.#places.has(call.id) || response.name === call.name;
  }
}

function namedIn(part: unknown): unknown[] {
  const id = isObject(part) && isObject(part.functionResponse) ? part.functionResponse.id : undefined;
  return id === undefined ? [] : [id];
}

function readBody(body: JsonObject): BodyMessage[] {
  const ids = new Ids(toItems(body.contents));
  const items = toItems(body.contents);
  const read = (content: unknown, index: number): BodyMessage[] => {
    if (!isObject(content)) return [content as BodyMessage];
    const result = wholeResult(content);
    if (result) return [result];
    const parts = [...listContent(content, "parts").map(inCamelCase), ...callsBeside(content)];
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
      const { name, response, parts: media } = part.functionResponse as JsonObject;
      const said = isObject(response) && Object.keys(response).length === 1 ? Object.values(response)[0] : response;
      const text = Array.isArray(media) && media.length > 0 ? `${readText(said)}\n${MEDIA}` : readText(said);
      return resultMessage(answered[at], name, [{ type: "text", text }], false, part);
    });
    const rest = parts.filter((part) => !isResponsePart(part)).map((part) => readPart(part, "user"));
    const userMessage: BodyMessage[] = rest.length > 0 ? [{ role: "user", content: rest }] : [];
    return [...results, ...userMessage];
  };
  return withJoinedCallers(items.flatMap((item, index) => placed(read(item, index), index, item)));
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
  const picture = readPicture(block);
  if (picture) return [{ inlineData: picture }];
  const text = blockText(block);
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
  const words = (result.content as Block[]).filter((block) => !readPicture(block));
  const text = words.map((block) => readText(block[RAW] ?? block)).join("\n");
  return {
    functionResponse: { ...withId, name, response: result.isError === true ? { error: text } : { output: text } },
  };
}

function writeBody(messages: readonly BodyMessage[], _body: JsonObject, target: Target, part?: Part): unknown {
  const written: JsonObject[] = [];
  let calls: Block[] = callsIn((part?.caller?.content ?? []) as Block[]);
  const turns = toTurns(messages);
  for (const { role, results, blocks } of part ? turns : endWithUser(turns)) {
    if (results.length > 0) {
      // The responses are a separate turn, in the order of the calls.
      const places = new Map(calls.map(({ id }, at) => [id, at]));
      const callPlace = ({ toolCallId }: BodyMessage): number => places.get(toolCallId) ?? -1;
      const inOrder = results.toSorted((a, b) => callPlace(a) - callPlace(b));
      // Pictures have no place in a response, and stand beside it.
      const pictures = inOrder.flatMap(({ content }) => (content as Block[]).filter(readPicture)).flatMap(writePart);
      const parts = inOrder.map((result) => writeResult(result, calls[callPlace(result)]));
      written.push({ role: "user", parts: [...parts, ...pictures] });
    }
    const parts = blocks.flatMap((block) => writePart(block));
    if (role === "assistant") calls = callsIn(blocks);
    if (parts.length > 0) written.push({ role: role === "assistant" ? "model" : "user", parts });
  }
  for (const content of mustBeSigned(target) ? written.slice(turnStart(written)) : []) {
    const firstCall = (content.parts as unknown[]).find(isCallPart);
    if (firstCall && lacksSignature([firstCall])) firstCall.thoughtSignature = NO_SIGNATURE;
  }
  if (part || written[0]?.role === "user") return written;
  return [{ role: "user", parts: [{ text: OPENING_TEXT }] }, ...written];
}

function callsIn(blocks: readonly Block[]): Block[] {
  return blocks.filter((block) => block.type === "toolCall");
}

/** Gemini generateContent. */
export const google: Dialect = {
  field: "contents",
  limits: () => LIMITS,
  check: checkBody,
  read: readBody,
  write: writeBody,
};
