/** Rules of single families of models on Bedrock. */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { blockKind } from "./blocks.ts";
import { mayNotEnd as anthropicMayNotEnd } from "../anthropic/models.ts";
import type { Target } from "../target.ts";
import { CONTINUE_TEXT } from "../turns.ts";

/** Text of the assistant message between results and other user content, for models that refuse both in one message. */
const RECEIVED_TEXT = "[The results were received.]";

/** The rules that a request must keep. */
export interface FamilyRules {
  /** Llama, Mistral: no other content beside calls or results. */
  alone: boolean;
  /** Claude: beside results no video, and no document but PDF. */
  light: boolean;
  /** Claude: no text behind a call. */
  callsLast: boolean;
}

/** Returns the rules of this model; none for an unknown model. */
export function familyRules(model: string): FamilyRules {
  const claude = /claude/i.test(model);
  return { alone: /\bmeta\.|llama|mistral|mixtral|pixtral/i.test(model), light: claude, callsLast: claude };
}

/** True where the user must speak first: for Claude 3 and other families. Claude 4 begins with either. */
export function beginsWithUser({ model }: Target): boolean {
  return model !== "" && !/claude-(?:opus|sonnet|haiku|fable|mythos)-?[4-9]?/i.test(model);
}

/** True where user and assistant must speak in turn; Titan lets one speak twice. */
export function takesTurns({ model }: Target): boolean {
  return model !== "" && !/titan/i.test(model);
}

/**
 * True where the history must not end with the assistant: Claude 4.6 and later, any model with thinking on, Llama,
 * Mistral, and every model where the client never has one continue an answer.
 */
export function mayNotEnd(body: JsonObject, target: Target): boolean {
  const extra = isObject(body.additionalModelRequestFields) ? body.additionalModelRequestFields : {};
  return anthropicMayNotEnd(extra, target) || familyRules(target.model).alone;
}

/** Kinds of blocks other than calls, results and cache marks. */
const CONVERSATION = new Set<string | undefined>(["text", "image", "document", "video", "audio", "searchResult"]);

const isCall = (block: JsonObject): boolean => block.toolUse !== undefined;
const isResult = (block: JsonObject): boolean => block.toolResult !== undefined;

function isHeavy({ document, video }: JsonObject): boolean {
  return video !== undefined || (isObject(document) && document.format !== "pdf");
}

/** True when a message has calls or results beside content that these rules forbid there. */
function isMixed(role: unknown, content: readonly JsonObject[], { alone, light }: FamilyRules): boolean {
  if (role === "assistant")
    return alone && content.some(isCall) && content.some((block) => CONVERSATION.has(blockKind(block)));
  return (
    content.some(isResult) &&
    content.some((block) => (alone && CONVERSATION.has(blockKind(block))) || (light && isHeavy(block)))
  );
}

function hasTextBehindCall(content: readonly JsonObject[]): boolean {
  const call = content.findIndex(isCall);
  return call >= 0 && content.some((block, at) => at > call && blockKind(block) === "text");
}

/** Reports the rules that a message of known blocks breaks. */
export function reportRules(
  role: unknown,
  content: readonly JsonObject[],
  rules: FamilyRules,
  report: (rule: string) => void,
): void {
  if (isMixed(role, content, rules)) report("mixed_turn");
  if (role === "assistant" && rules.callsLast && hasTextBehindCall(content)) report("text_behind_call");
}

/** Changes messages to keep these rules: splits a message, and puts one of the other role between the parts. */
export function keepRules(messages: readonly JsonObject[], rules: FamilyRules): JsonObject[] {
  return messages.flatMap((message) => {
    const { role } = message;
    const content = message.content as JsonObject[];
    if (isMixed(role, content, rules)) {
      // A cache mark belongs to the blocks before it.
      const marks = content.findIndex((block) => !isResult(block) && block.cachePoint === undefined);
      const [first, between, last] =
        role === "assistant"
          ? [
              content.filter((block) => !isCall(block)),
              { role: "user", content: [{ text: CONTINUE_TEXT }] },
              content.filter(isCall),
            ]
          : [content.slice(0, marks), { role: "assistant", content: [{ text: RECEIVED_TEXT }] }, content.slice(marks)];
      return [{ ...message, content: first }, between, { ...message, content: last }];
    }
    if (role === "assistant" && rules.callsLast && hasTextBehindCall(content)) {
      return [{ ...message, content: [...content.filter((block) => !isCall(block)), ...content.filter(isCall)] }];
    }
    return [message];
  });
}

/**
 * Moves the cachePoint of a message whose other blocks say nothing to the end of the message before, unless that ends
 * with one.
 */
export function keepCachePoints(
  messages: readonly unknown[],
  saysNothing: (block: unknown) => boolean,
): readonly unknown[] {
  const kept: unknown[] = [];
  for (const message of messages) {
    const before = kept.at(-1);
    const content: unknown[] = isObject(message) && Array.isArray(message.content) ? message.content : [];
    const points = content.filter((block) => isObject(block) && isObject(block.cachePoint));
    const isAll =
      points.length > 0 &&
      points.length < content.length &&
      content.every((block) => points.includes(block) || saysNothing(block));
    if (!isAll || !isObject(before) || !Array.isArray(before.content)) kept.push(message);
    else if (!isObject(before.content.at(-1)) || before.content.at(-1).cachePoint === undefined)
      kept[kept.length - 1] = { ...before, content: [...before.content, points[0]] };
  }
  return kept;
}
