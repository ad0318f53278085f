import { isBlank, isObject, isWellFormed, wellFormed, type JsonObject } from "../transcript/json/json.ts";
import { isDeeperThan, MAX_MESSAGE_DEPTH } from "../transcript/json/depth.ts";
import { plainCopy, withoutDepth } from "../transcript/json/plain.ts";
import { repair } from "../transcript/repair.ts";
import { dialectOf } from "./apis.ts";
import { RAW, type Block, type BodyMessage, type Dialect, type WireViolation } from "./model.ts";
import { conformCalls } from "./turns.ts";

/** What is known of a request beside its body. */
export interface BodyOptions {
  /** The model's id, for rules that go by it, where the body does not say it. */
  model?: string;
}

/** A history in a body holds messages, and those of some APIs nest one level more than OpenClaw's. */
const MAX_BODY_DEPTH = MAX_MESSAGE_DEPTH + 2;

/**
 * Every rule of the API that a request body breaks; an empty list for a healthy body and for an API that is not known
 * here.
 *
 * @param api OpenClaw's name of the API, e.g. `anthropic-messages`.
 * @param body The final request body as the adapter hands it to `onPayload`. Any JSON may be given; nothing throws.
 * @returns rule and path of each violation, no content. Rules: facts on provider rules; issue 2.
 */
export function check(api: string, body: unknown, options: BodyOptions = {}): WireViolation[] {
  const dialect = dialectOf(api);
  if (!dialect) return [];
  if (!isObject(body)) return [{ rule: "body_type", path: "" }];
  return readably(body, dialect.field, (readable) => {
    const violations = dialect.check(readable, modelOf(readable, options));
    if (!isWellFormed(readable[dialect.field])) violations.push({ rule: "lone_surrogate", path: dialect.field });
    if (isDeeperThan(readable[dialect.field], MAX_BODY_DEPTH))
      violations.push({ rule: "too_deep", path: dialect.field });
    return violations;
  });
}

/**
 * The body with a history that breaks no rule of the API: {@link check} finds nothing in the outcome. The very same
 * object when nothing was wrong; otherwise a copy in which blocks that were fine are still the same objects. No text,
 * call or result is dropped: what cannot be sent in its form is sent as text, results move to their calls, clashing ids
 * are replaced. Healing twice changes nothing, the same body gives the same bytes. Issue 2.
 *
 * A body that is no object, or an API that is not known here, comes back as it is.
 */
export function heal<T>(api: string, body: T, options: BodyOptions = {}): T {
  const dialect = dialectOf(api);
  if (!dialect || !isObject(body)) return body;
  return readably(body, dialect.field, (readable) => healed(dialect, readable, modelOf(readable, options))) as T;
}

/**
 * What `work` makes of the body; where the history in it is no JSON and it throws for that, of the body with a copy
 * that is.
 */
function readably<T>(body: JsonObject, field: string, work: (body: JsonObject) => T): T {
  try {
    return work(body);
  } catch {
    return work({ ...body, [field]: plainCopy(body[field], MAX_BODY_DEPTH) });
  }
}

function healed(dialect: Dialect, body: JsonObject, model: string): JsonObject {
  const given = body[dialect.field];
  const history = wellFormed(isDeeperThan(given, MAX_BODY_DEPTH) ? withoutDepth(given, MAX_BODY_DEPTH) : given);
  const sound: JsonObject = history === given ? body : { ...body, [dialect.field]: history };
  if (dialect.check(sound, model).length === 0) return sound;
  const read = dialect.read(sound, model);
  // An orphan here had its call until the adapter lost it, so it gets one again instead of being dropped.
  const { messages } = repair(read, { spelling: "openclaw", strategy: "reconstruct" });
  const conformed = conformCalls(messages.flatMap(sendable), dialect.limits(model));
  return { ...body, [dialect.field]: dialect.write(conformed, sound, model) };
}

function modelOf({ model, modelId }: JsonObject, options: BodyOptions): string {
  if (typeof model === "string") return model;
  return typeof modelId === "string" ? modelId : (options.model ?? "");
}

/** The message without blank blocks, its content a list; none when nothing is left of it. */
function sendable(message: unknown): BodyMessage[] {
  const { role, content } = message as BodyMessage;
  if (role === "toolResult") return [message as BodyMessage];
  const blocks: Block[] = typeof content === "string" ? [{ type: "text", text: content }] : (content as Block[]);
  const kept = blocks.filter(
    (block) => block[RAW] || (block.type === "text" ? !isBlank(block.text as string) : !isBlankThought(block)),
  );
  return kept.length > 0 ? [{ ...(message as BodyMessage), content: kept }] : [];
}

function isBlankThought(block: Block): boolean {
  return block.type === "thinking" && isBlank(block.thinking as string);
}
