/** Plans a compaction right behind another one, for which OpenClaw finds nothing to compact. */
import { isObject, isPositive, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { isPicture } from "../forms/images.ts";
import { toBlocks } from "../forms/blocks.ts";

/** What a compaction right behind another one works on. */
export interface SecondCompaction {
  /** The path in the order in which a model reads it: the summary, then what was kept beside it. */
  readonly path: readonly unknown[];
  /** How many tokens of the newest messages stay, as OpenClaw counts them. */
  readonly keepRecentTokens: number;
}

/** What OpenClaw takes a prompt for, before it asks a model. */
export interface PromptRoom {
  /** The model's window, and what of it OpenClaw leaves to the answer. */
  readonly contextWindow: unknown;
  readonly reserveTokens: unknown;
  readonly systemPrompt: unknown;
}

/** OpenClaw counts four characters as a token, a picture as so many characters, and a fifth more for what it misses. */
const PER_TOKEN = 4;
const PICTURE = 4800;
const MARGIN = 1.2;

/** OpenClaw leaves at least so many tokens to a prompt, or half of the window. */
const LEAST_PROMPT = 8000;

/** Which part of the room the kept messages may take, beside a summary and the question. */
const SHARE = 0.3;

/** Before messages of these roles OpenClaw parts a conversation; a result stays with its call. */
const CUTS = new Set<unknown>(["user", "assistant", "custom", "bashExecution", "branchSummary"]);

/**
 * Returns how a path is compacted that ends with a compaction and is still more than OpenClaw sends; undefined for any
 * other path. OpenClaw finds nothing to compact there, because a compaction is the newest entry, and refuses each later
 * message before it asks a model. Not counted is what cannot be known here, so that a path that OpenClaw would send is
 * left alone. Linear.
 */
export function planSecondCompaction(path: readonly unknown[], room: PromptRoom): SecondCompaction | undefined {
  const limit = promptTokens(room);
  const at = path.findLastIndex(isCompaction);
  const newest = path[at];
  if (limit === undefined || !isObject(newest) || path.some((entry, nth) => nth > at && isSaid(entry)))
    return undefined;
  const start = path.findIndex((entry) => isObject(entry) && entry.id === newest.firstKeptEntryId);
  if (start < 0 || start >= at) return undefined;
  const kept = path.slice(start, at).filter((entry) => !isCompaction(entry));
  if (kept.some((entry) => isObject(entry) && entry.type === "reset")) return undefined;
  const around = textLength(room.systemPrompt) + textLength(newest.summary);
  const tokens = kept.map(countEntryTokens);
  const all = sum(tokens);
  if ((all + around / PER_TOKEN) * MARGIN <= limit) return undefined;
  const cuts = kept.flatMap((entry, nth) => (isCut(entry) ? [nth] : []));
  if (cuts.length < 2) return undefined;
  const share = Math.min((limit / MARGIN - textLength(room.systemPrompt) / PER_TOKEN) * SHARE, all / 2);
  return {
    path: path.slice(0, start).concat([newest], kept, path.slice(at + 1)),
    keepRecentTokens: Math.max(1, Math.floor(share), sum(tokens.slice(cuts.at(-1)! + 1)) + 1),
  };
}

/** How many tokens OpenClaw gives to a prompt at most. */
function promptTokens({ contextWindow, reserveTokens }: PromptRoom): number | undefined {
  if (!isPositive(contextWindow)) return undefined;
  const reserve = isPositive(reserveTokens) ? reserveTokens : 0;
  return Math.max(contextWindow - reserve, Math.min(LEAST_PROMPT, contextWindow / 2));
}

function isCompaction(entry: unknown): boolean {
  return isObject(entry) && entry.type === "compaction";
}

function isSaid(entry: unknown): boolean {
  return isObject(entry) && (entry.type === "message" || isSpoken(entry));
}

/** True for what becomes a message without being one. */
function isSpoken({ type }: JsonObject): boolean {
  return type === "custom_message" || type === "branch_summary";
}

function isCut(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  return isSpoken(entry) || (isObject(entry.message) && CUTS.has(entry.message.role));
}

/** What OpenClaw counts of an entry, or less: entries that are no messages do not count where it parts a path. */
function countEntryTokens(entry: unknown): number {
  if (!isObject(entry) || !isObject(entry.message)) return 0;
  const { content } = entry.message;
  let characters = textLength(content);
  if (characters === 0) for (const block of toBlocks(entry.message)) characters += countCharacters(block);
  return Math.ceil(characters / PER_TOKEN);
}

function countCharacters(block: unknown): number {
  if (!isObject(block)) return 0;
  const isImage: boolean = isPicture(block);
  if (isImage) return PICTURE;
  const call = block.type === "toolCall" ? textLength(block.name) + toJson(block.arguments ?? {}).length : 0;
  return textLength(block.text) + textLength(block.thinking) + call;
}

function textLength(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}
