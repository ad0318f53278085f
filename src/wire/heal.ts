/** The wire gate: reports what a request body breaks of its API's rules, and heals the body. */
import { isBlank, isObject, isWellFormed, wellFormed, type JsonObject } from "../transcript/json/json.ts";
import { isDeeperThan, MAX_MESSAGE_DEPTH, whyNoJson } from "../transcript/json/depth.ts";
import { plainCopy, withoutDepth } from "../transcript/json/plain.ts";
import { SoundnessWalk } from "../transcript/json/soundness-walk.ts";
import { repair, type RepairStrategy } from "../transcript/repair.ts";
import { findDialect } from "./apis.ts";
import { foreignField, inOwnField } from "./foreign.ts";
import { RAW, type Block, type BodyMessage, type Dialect, type WireViolation } from "./model.ts";
import { smallestEdit } from "./smallest.ts";
import type { Target } from "./target.ts";
import { conformCalls, withSharedCallers } from "./turns.ts";
import { callIds, isNamedOutside, unpairedIds, windowAround } from "./window.ts";

/** Facts about a request that are not in its body. */
export interface BodyOptions {
  /** The model's id, for rules that depend on the model, where the body does not contain it. */
  model?: string;
  /** The provider's host, such as `api.deepseek.com`, for rules that hold for some hosts. */
  host?: string;
}

/** What the guard knows besides, and what a list is repaired with. */
export interface RequestOptions extends BodyOptions {
  /** See {@link Target.neverPrefills}. */
  neverPrefills?: boolean;
  /** What becomes of results without a call; `reconstruct` by default. */
  strategy?: RepairStrategy;
}

/**
 * The depth of a history in a body: the list adds one level, and messages of some APIs have one more than OpenClaw's.
 */
const MAX_BODY_DEPTH = MAX_MESSAGE_DEPTH + 2;

/**
 * Returns every rule of the API that a request body breaks; an empty list for a valid body and for an unknown API.
 *
 * @param api OpenClaw's name of the API, e.g. `anthropic-messages`.
 * @param body The final request body as the adapter passes it to `onPayload`. Any value may be given; never throws.
 * @returns rule and path of each violation, no content.
 */
export function check(api: string, body: unknown, options: RequestOptions = {}): WireViolation[] {
  const dialect = findDialect(api);
  if (!dialect) return [];
  if (!isBody(body)) return [{ rule: "body_type", path: "" }];
  const read = withUnreadableCopied(body, dialect.field, (readable) => {
    const walk = new SoundnessWalk();
    const violations = dialect.check(readable, toTarget(readable, options), walk);
    if (violations.length === 0 && walk.isSound && readable === body) return violations;
    const report = (rule: string, path: string = dialect.field): unknown => violations.push({ rule, path });
    const history = readable[dialect.field];
    const reason = readable === body ? whyNoJson(history, MAX_BODY_DEPTH) : "unreadable";
    if (reason !== undefined) report(reason === "deep" ? "too_deep" : "not_json");
    else if (!isWellFormed(history)) report("lone_surrogate");
    const foreign = foreignField(readable, dialect.field);
    if (foreign !== undefined) report("history_field", foreign);
    return violations;
  });
  return read ?? [{ rule: "not_json", path: "" }];
}

/**
 * Returns the body with a history that breaks no rule of the API: {@link check} finds nothing in it. A valid body is
 * returned as the same object, any other as a copy in which valid blocks are still the same objects. No text, call or
 * result is dropped: content that cannot be sent in its form becomes text, results move to their calls, clashing ids
 * are replaced. Idempotent; the same body gives the same bytes.
 *
 * A body that is no object, or of an unknown API, is returned as it is.
 */
export function heal<T>(api: string, body: T, options: RequestOptions = {}): T {
  const dialect = findDialect(api);
  if (!dialect || !isBody(body)) return body;
  const read = withUnreadableCopied(body, dialect.field, (readable) =>
    healed(dialect, readable, toTarget(readable, options), options.strategy),
  );
  return (read ?? body) as T;
}

/** True for an object; false for a proxy that cannot be read at all. */
function isBody(body: unknown): body is JsonObject {
  try {
    return isObject(body);
  } catch {
    return false;
  }
}

/**
 * Returns the result of `work` on the body. When `work` throws because the body is no JSON, it runs again with a JSON
 * copy of the history, or of the whole body; undefined where nothing of the body can be read.
 */
function withUnreadableCopied<T>(body: JsonObject, field: string, work: (body: JsonObject) => T): T | undefined {
  try {
    return work(body);
  } catch {
    // A part of it throws.
  }
  try {
    return work({ ...body, [field]: plainCopy(body[field], MAX_BODY_DEPTH) });
  } catch {
    const copy = plainCopy(body, MAX_BODY_DEPTH + 1);
    return isObject(copy) ? work(copy) : undefined;
  }
}

function healed(
  dialect: Dialect,
  stored: JsonObject,
  target: Target,
  strategy: RepairStrategy = "reconstruct",
): JsonObject {
  const shown = new SoundnessWalk();
  const found = dialect.check(stored, target, shown);
  if (found.length === 0 && shown.isSound) return stored;
  const body = inOwnField(stored, dialect.field);
  const given = body[dialect.field];
  const history = wellFormed(isDeeperThan(given, MAX_BODY_DEPTH) ? withoutDepth(given, MAX_BODY_DEPTH) : given);
  const wellFormedBody: JsonObject = history === given ? body : { ...body, [dialect.field]: history };
  const checked = wellFormedBody === stored ? found : dialect.check(wellFormedBody, target, new SoundnessWalk());
  if (checked.length === 0) return wellFormedBody;
  const way: Way = { dialect, target, strategy };
  return healedAround(way, wellFormedBody, checked) ?? rewritten(way, wellFormedBody, checked);
}

/** The rules by which a history is repaired. */
interface Way {
  readonly dialect: Dialect;
  readonly target: Target;
  readonly strategy: RepairStrategy;
}

/** Heals what is around the faults as if it were the whole history; undefined where that is not enough. */
function healedAround(way: Way, body: JsonObject, found: readonly WireViolation[]): JsonObject | undefined {
  const { dialect, target } = way;
  const { field } = dialect;
  const items = body[field];
  // A history that is cut at a fault has nothing behind.
  const isCut = way.strategy === "truncate";
  const window = Array.isArray(items) && !isCut ? windowAround(items, found) : undefined;
  if (!window) return undefined;
  const part = { ...body, [field]: (items as unknown[]).slice(window.first, window.end) };
  // What belongs to a call or a result elsewhere is for the repair of the whole.
  const read = dialect.read(part, target);
  if (isNamedOutside(items as unknown[], window, unpairedIds(read))) return undefined;
  const healedPart = rewritten(way, part, dialect.check(part, target, new SoundnessWalk()), read)[field] as unknown[];
  // An id that was made for a call may be that of a call elsewhere.
  const known = callIds(read);
  const made = [...callIds(dialect.read({ ...body, [field]: healedPart }, target))].filter((id) => !known.has(id));
  if (isNamedOutside(items as unknown[], window, new Set(made))) return undefined;
  const whole = {
    ...body,
    [field]: (items as unknown[]).slice(0, window.first).concat(healedPart, (items as unknown[]).slice(window.end)),
  };
  return dialect.check(whole, target, new SoundnessWalk()).length === 0 ? whole : undefined;
}

function rewritten(
  { dialect, target, strategy }: Way,
  body: JsonObject,
  found: readonly WireViolation[],
  read: readonly BodyMessage[] = dialect.read(body, target),
): JsonObject {
  // The history gate removes orphans, so the adapter has lost the call of any orphan here: it gets a call again.
  const { messages } = repair(read, { spelling: "openclaw", strategy });
  const repaired = withSharedCallers(conformCalls(messages.flatMap(sendable), dialect.limits(target)), read);
  const edited = smallestEdit(dialect, body, target, { read, repaired, found });
  return { ...body, [dialect.field]: edited ?? dialect.write(repaired, body, target) };
}

/** Where a request goes, by its body and by what is known besides. */
export function toTarget({ model, modelId }: JsonObject, options: RequestOptions): Target {
  const inBody = typeof model === "string" ? model : typeof modelId === "string" ? modelId : undefined;
  const { host = "", neverPrefills = false } = options;
  return { model: inBody ?? options.model ?? "", host, neverPrefills };
}

/** Returns the message without blank blocks and with a list as content; none when nothing is left. */
function sendable(message: unknown): BodyMessage[] {
  const { role, content } = message as BodyMessage;
  if (role === "toolResult") return [message as BodyMessage];
  const blocks: Block[] = typeof content === "string" ? [{ type: "text", text: content }] : (content as Block[]);
  const kept = blocks.filter(
    (block) => block[RAW] || (block.type === "text" ? !isBlank(block.text as string) : !isBlankThought(block)),
  );
  if (kept.length === 0) return [];
  return kept.length === blocks.length && blocks === content
    ? [message as BodyMessage]
    : [{ ...(message as BodyMessage), content: kept }];
}

function isBlankThought(block: Block): boolean {
  return block.type === "thinking" && isBlank(block.thinking as string);
}
