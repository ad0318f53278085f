import { inAnthropicForm, longHistoryFrom } from "../../harness/arbitrary/long-history.ts";
import { listViolations } from "../../harness/providers/index.ts";
import { makeRandom, type Random } from "../../harness/random.ts";
import { fit } from "../../src/recovery/size/fit.ts";
import { isWithin, messageSize, measureMessages, type Budget } from "../../src/recovery/size/measure.ts";
import { validate } from "../../src/transcript/index.ts";
import { isWellFormed } from "../../src/transcript/json/json.ts";

/** What the newest question needs beside itself: the last step at its shortest, and the words in place of the rest. */
const BESIDE = 12_000;

/** Of so many histories one is in Anthropic's own form, with the results of a step in one message of the user's. */
const IN_ANTHROPIC_FORM = 3;

/** Of so many histories one is also followed from request to request. */
const FOLLOWED = 200;

/** What random histories have shown of `fit`. */
export interface Found {
  histories: number;
  /** Of these the budget was smaller than the history. */
  fitted: number;
  /** In these the newest question fits, and so has to be whole. */
  questions: number;
  /** Requests that were followed, and of them those that begin with all of the one before. */
  requests: number;
  whole: number;
  /** Bytes of a request that begin the next one too, and all of them. */
  common: number;
  bytes: number;
  /** What did not hold, with the number of the history. */
  readonly faults: Map<string, number[]>;
}

type Message = Record<string, unknown> & { role: string };

/** Fits random histories to random budgets, as long as `progress` says so. The same seed gives the same ones. */
export function fitRandom(count: number, seed: number, progress: (done: number) => boolean): Found {
  const found: Found = {
    histories: 0,
    fitted: 0,
    questions: 0,
    requests: 0,
    whole: 0,
    common: 0,
    bytes: 0,
    faults: new Map(),
  };
  for (let nth = 0; nth < count && progress(nth); nth++) {
    const random = makeRandom(`${seed}:${nth}`);
    const numbers = Array.from({ length: random.between(8, 60) }, () => random.between(0, 1_000_000));
    const messages = longHistoryFrom(numbers, random.between(1, 3));
    const isOwn = nth % IN_ANTHROPIC_FORM === 0;
    const given = isOwn ? inAnthropicForm(messages) : messages;
    judge(found, nth, given, budgetFor(given, random), isOwn ? isValidAnthropic : isValid);
    if (nth % FOLLOWED === 0) follow(found, longHistoryFrom(numbers, 12), 0.3 + random.real() * 0.4);
  }
  return found;
}

function budgetFor(messages: readonly Message[], random: Random): Budget {
  const { characters, bytes, messages: count } = measureMessages(messages);
  const part = 0.02 + random.real() * 1.08;
  const unit = random.between(0, 3);
  return {
    ...(unit !== 1 && unit !== 3 && { characters: Math.max(characters * part, BESIDE) }),
    ...((unit === 1 || unit === 2) && { bytes: Math.max(bytes * part, 3 * BESIDE) }),
    ...(unit === 3 && { messages: Math.max(Math.floor(count * part), 16) }),
  };
}

function isValid(messages: readonly Message[]): boolean {
  return validate(messages).length === 0;
}

function isValidAnthropic(messages: readonly Message[]): boolean {
  return listViolations("anthropic-messages", { model: "m", max_tokens: 100, messages }).length === 0;
}

function judge(
  found: Found,
  nth: number,
  messages: Message[],
  budget: Budget,
  isValidForm: (messages: readonly Message[]) => boolean,
): void {
  const holds = (what: string, isTrue: boolean): void => {
    if (!isTrue) found.faults.set(what, [...(found.faults.get(what) ?? []), nth]);
  };
  found.histories++;
  const given = JSON.stringify(messages);
  const fitted = fit(messages, budget);
  holds("the history is not changed in place", JSON.stringify(messages) === given);
  holds("it fits", isWithin(measureMessages(fitted), budget));
  if (isWithin(measureMessages(messages), budget)) {
    holds("what fits is not touched", fitted === messages);
    return;
  }
  found.fitted++;
  holds("it is valid", isValidForm(fitted));
  holds("no half of a character is left", isWellFormed(fitted));
  holds("fitting twice changes nothing", fit(fitted, budget) === fitted);
  const asked = messages.findLast(isAsked)!;
  const { characters, bytes } = messageSize(asked);
  if (!isWithin({ characters: characters + BESIDE, bytes: bytes + 3 * BESIDE, messages: 1 }, budget)) return;
  found.questions++;
  holds(
    "the newest question is whole where it fits",
    JSON.stringify(fitted).includes(JSON.stringify(asked.content).slice(1, -1)),
  );
}

/** In Anthropic's form results are messages of the user's too. */
function isAsked({ role, content }: Message): boolean {
  return role === "user" && (typeof content === "string" || (content as Message[])[0]?.["type"] !== "tool_result");
}

/** Follows a conversation from request to request, on one budget. */
function follow(found: Found, whole: Message[], part: number): void {
  const budget = { characters: Math.max(measureMessages(whole).characters * part, 2 * BESIDE) };
  let before = "";
  for (let at = 1; at < whole.length; at++) {
    if (whole[at]!.role !== "assistant") continue;
    const messages = whole.slice(0, at);
    const next = fit(messages, budget)
      .map((message) => JSON.stringify(message))
      .join("\n");
    if (before !== "" && !isWithin(measureMessages(messages), budget)) {
      const common = commonLength(before, next);
      found.requests++;
      if (common === before.length) found.whole++;
      found.common += common;
      found.bytes += before.length;
    }
    before = next;
  }
}

function commonLength(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let at = 0;
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}
