/** What single families of models refuse on Bedrock. */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { kindOf } from "./blocks.ts";
import { CONTINUE_TEXT } from "../turns.ts";

/** Said by the assistant between results and what the user says besides, for models that take them apart only. */
export const RECEIVED_TEXT = "[The results were received.]";

/** Which of these rules a request has to keep. */
export interface FamilyRules {
  /** Calls and results stand alone in their messages: Llama, Mistral. */
  alone: boolean;
  /** No document but PDF and no video beside results: Claude. */
  light: boolean;
  /** No text behind a call: Claude with thinking on. */
  callsLast: boolean;
}

/** The rules for this model; none where it is not known. */
export function familyRules(model: string, body: JsonObject): FamilyRules {
  const claude = /claude/i.test(model);
  const extra = body.additionalModelRequestFields;
  const thinking = isObject(extra) && isObject(extra.thinking) ? extra.thinking.type : undefined;
  return {
    alone: /\bmeta\.|llama|mistral|mixtral|pixtral/i.test(model),
    light: claude,
    callsLast: claude && (thinking === "enabled" || thinking === "adaptive"),
  };
}

/** What is said, as against calls, results and marks. */
const CONVERSATION = new Set<string | undefined>(["text", "image", "document", "video", "audio", "searchResult"]);

const isCall = (block: JsonObject): boolean => block.toolUse !== undefined;
const isResult = (block: JsonObject): boolean => block.toolResult !== undefined;

function isHeavy({ document, video }: JsonObject): boolean {
  return video !== undefined || (isObject(document) && document.format !== "pdf");
}

/** True when a message holds calls or results beside what must not stand there. */
function isMixed(role: unknown, content: readonly JsonObject[], { alone, light }: FamilyRules): boolean {
  if (role === "assistant")
    return alone && content.some(isCall) && content.some((block) => CONVERSATION.has(kindOf(block)));
  return (
    content.some(isResult) &&
    content.some((block) => (alone && CONVERSATION.has(kindOf(block))) || (light && isHeavy(block)))
  );
}

function hasTextBehindCall(content: readonly JsonObject[]): boolean {
  const call = content.findIndex(isCall);
  return call >= 0 && content.some((block, at) => at > call && kindOf(block) === "text");
}

/** The names of the rules that a message of known blocks breaks. */
export function brokenRules(role: unknown, content: readonly JsonObject[], rules: FamilyRules): string[] {
  const mixed = isMixed(role, content, rules) ? ["mixed_turn"] : [];
  return role === "assistant" && rules.callsLast && hasTextBehindCall(content) ? [...mixed, "text_behind_call"] : mixed;
}

/** The messages in a form that keeps these rules: what must stand apart is parted by a message of the other side. */
export function keepRules(messages: readonly JsonObject[], rules: FamilyRules): JsonObject[] {
  return messages.flatMap((message) => {
    const { role } = message;
    const content = message.content as JsonObject[];
    if (isMixed(role, content, rules)) {
      // A mark of the cache belongs to what stands before it.
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

/** Moves a cachePoint that is all its message has to say to the end of the message before. */
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
