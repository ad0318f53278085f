import type { RecordedRequest, Api, JsonObject } from "../../harness/providers/index.ts";
import { mostTokens, withLastWordsOnly } from "../../harness/providers/random/parts.ts";
import { seenIn, type HiddenRule } from "../../harness/providers/random/rules.ts";
import { makeMessage, type Plan } from "./plan.ts";
import { distinct, FEW_TOKENS, type Played, type PlayedTurn } from "./played.ts";

/** What is claimed, by its number in the report. */
export const CLAIMS = {
  kept: "nothing that the old endpoint takes is archived, and back there every word is sent again",
  requests: "at most three requests until the answer",
  behind:
    "at most eight requests behind a turn, of at most 16 tokens each, together at most twice the history, beside the question",
  found:
    "a refused part is found behind the turn: from the next turn on nothing else is missing, or from the one after it where a " +
    "search has needed all of its requests; of two that are refused only together one is found, with less left out in each " +
    "turn from the third on",
  answered:
    "an answer in each turn in which the provider takes the last words alone; after a server error, or in words of load, " +
    "in each but the first of a process",
  told: "otherwise a sentence with the provider's own words, or OpenClaw's own for an error that is left to it",
  valid: "no request breaks a rule of its API",
} as const;

export type Claim = keyof typeof CLAIMS;

/** A claim that does not hold, and where. */
export interface Fault {
  claim: Claim;
  text: string;
}

const MAX_REQUESTS = 3;
const MAX_BEHIND = 8;
/** The question of each request behind a turn, and its notes in place of what is left out, in characters. */
const BESIDE = 600;
/** What the SDKs say of an error whose body they cannot read: nobody behind them knows the provider's words. */
const UNREAD = /status code \(no body\)|UnknownError|Deserialization error|Malformed diagnostic JSON redacted/;
/** OpenClaw's own sentence for an error that is left to it; it keeps the provider's words to itself. */
const OWN_SENTENCE = /^FailoverError: (⚠️ )?\w+|^The AI service is temporarily overloaded/;

/** All that does not hold of a plan that was played. */
export function findFaults(played: Played): Fault[] {
  if (played.failed !== undefined) return [];
  const { turns, archived } = played;
  const leastSize = smallestSize(turns);
  return [
    ...archived.map((text): Fault => ({ claim: "kept", text: `archived: ${text}` })),
    ...turns.flatMap((turn, at) => [
      ...invalid(turn, at),
      ...checkRequests(played, turn, at),
      ...checkBehind(turn, at, leastSize),
      ...checkWords(played, at),
      ...checkAnswer(played, at),
    ]),
  ];
}

/** True for a turn of which the rule has refused a request. */
export function isRefused({ requests, behind }: PlayedTurn): boolean {
  return [...requests, ...behind].some(({ refusedBy }) => refusedBy?.by === "front");
}

/** The last request of a turn that was answered. */
export function accepted({ requests }: PlayedTurn): RecordedRequest | undefined {
  return requests.findLast(({ status }) => status === 200);
}

/** The words that a turn's request has to hold: those of the conversation, and what was said up to this turn. */
export function wordsUpTo({ plan, turns }: Played, at: number): string[] {
  return [...plan.conversation.pieces.map(({ mark }) => mark), ...turns.slice(0, at + 1).map(({ mark }) => mark)];
}

function invalid({ requests, behind }: PlayedTurn, at: number): Fault[] {
  return [...requests, ...behind]
    .filter(({ refusedBy }) => refusedBy?.by === "api")
    .map(({ violations }): Fault => ({ claim: "valid", text: `turn ${at}: ${violations[0]}` }));
}

/** Most requests that OpenClaw and the SDKs send of one refused turn by themselves, as measured without the patch. */
function mostWithoutUs({ way, wording: { status, kind } }: Plan): number {
  if (way === "library") return 1;
  // Both releases try again what sounds like load, whatever its status.
  if (kind === "load") return 12;
  if (way === "2026.9.6") return status >= 500 || status === 409 || status === 415 || status === 418 ? 9 : 1;
  if (status >= 500 && status !== 501) return 12;
  return status === 409 || status === 501 ? 3 : 1;
}

/** How many different requests 2026.9.6 makes of one by itself, beside the first. */
function othersOfItsOwn({ way, api, wording }: Plan, asksAgain: boolean): number {
  if (way !== "2026.9.6") return 0;
  // It asks again with other words behind the person's; and each of these without thinking, where the error names that.
  const again = asksAgain ? 1 : 0;
  return api === "anthropic-messages" && /thinking/i.test(wording.words) ? 2 * again + 1 : again;
}

function checkRequests({ plan }: Played, turn: PlayedTurn, at: number): Fault[] {
  const most = mostWithoutUs(plan);
  const others = othersOfItsOwn(plan, most > 1);
  // Its SDK sends each request up to three times; 2026.9.6 some refused ones twice.
  const repeats = plan.way === "library" ? 1 : plan.way === "2026.9.6" ? 2 : most > 1 ? 3 : 1;
  const [different, all] = [distinct(turn.requests).length, turn.requests.length];
  const isMany =
    different > MAX_REQUESTS + others || all > (most === 1 ? repeats : most) + (MAX_REQUESTS - 1) * repeats;
  return isMany ? [{ claim: "requests", text: `turn ${at}: ${different} different requests, ${all} in all` }] : [];
}

function checkBehind({ behind, requests }: PlayedTurn, at: number, leastSize: number): Fault[] {
  const faults: string[] = [];
  if (behind.length > MAX_BEHIND) faults.push(`${behind.length} requests`);
  const most = Math.max(0, ...behind.map(({ body }) => mostTokens(body)));
  if (most > FEW_TOKENS) faults.push(`one of ${most} tokens`);
  const history = Math.max(1, ...requests.map(({ raw }) => raw.length - leastSize));
  const share = behind.reduce((sum, { raw }) => sum + raw.length - leastSize - BESIDE, 0) / history;
  if (share > 2)
    faults.push(`${share.toFixed(2)} times the history of ${history} characters in ${behind.length} requests`);
  return faults.map((text) => ({ claim: "behind", text: `turn ${at}: ${text}` }));
}

/**
 * The characters of the smallest request: what each one holds beside the history, the system prompt and the tools,
 * wherever they stand. A route that was seen to refuse a system role is sent the prompt as a question.
 */
function smallestSize(turns: readonly PlayedTurn[]): number {
  return Math.min(...turns.flatMap(({ requests, behind }) => [...requests, ...behind].map(({ raw }) => raw.length)));
}

function checkWords(played: Played, at: number): Fault[] {
  const { phase } = played.turns[at]!;
  const { scope } = played.plan.rule;
  if (phase === "refused") return scope === "one" || scope === "two" ? foundIn(played, at) : [];
  // What was found stays left out at the endpoint that refused it: nobody tells that it takes it now, nor that it has
  // refused by chance where all of its answers could have been those of a rule.
  if (phase === "lifted" && scope !== "whole" && (scope !== "chance" || isSearchedBefore(played, at))) return [];
  const request = accepted(played.turns[at]!);
  if (!request) return [{ claim: "kept", text: `turn ${at}, ${phase}: nothing was accepted` }];
  const lost = missingIn(played, at, request);
  if (lost.length === 0) return [];
  return [{ claim: "kept", text: `turn ${at}, ${phase}: ${count(lost.length, "word")} not sent` }];
}

function missingIn(played: Played, at: number, { raw }: RecordedRequest): string[] {
  const { plan, turns } = played;
  // Another model is sent what one has refused; a program has its message back.
  const isHeld = plan.way === "library" || turns[at]!.phase !== "back";
  const held = new Set(isHeld ? turns.flatMap((turn) => (turn.isHeldBack ? [turn.mark] : [])) : []);
  return wordsUpTo(played, at).filter((mark) => !raw.includes(mark) && !held.has(mark));
}

/** How many words the last accepted request before a turn has left out. */
function missingBefore(played: Played, at: number): number {
  const last = played.turns.slice(0, at).findLastIndex((turn) => accepted(turn) !== undefined);
  return last < 0 ? Infinity : missingIn(played, last, accepted(played.turns[last]!)!).length;
}

/** Judges a turn behind a search, or behind all searches that should have been. */
function foundIn(played: Played, at: number): Fault[] {
  const { turns, plan } = played;
  const before = turns.slice(0, at);
  const refused = before.filter((turn, nth) => isRefused(turn) && lastWordsTaken(played, nth));
  if (refused.length === 0 || !lastWordsTaken(played, at)) return [];
  const request = accepted(turns[at]!);
  const isSearched = isSearchedBefore(played, at);
  const others = request
    ? missingIn(played, at, request).filter((mark) => !plan.rule.mayMiss.some((list) => list.includes(mark)))
    : [];
  if (!isSearched) {
    // Such an error has to come twice to a process before a history is suspected.
    const isDue =
      !saysNothing(plan) || before.some((turn, nth) => refused.includes(turn) && !isFirstFailure(played, nth));
    return isDue && (!request || others.length > 0) ? [{ claim: "found", text: `turn ${at}: no search was made` }] : [];
  }
  if (!request) return [{ claim: "found", text: `turn ${at}: nothing was accepted` }];
  const isLess = plan.rule.scope === "two" && (refused.length < 2 || others.length < missingBefore(played, at));
  return others.length === 0 || isLess || isFirstSpent(before)
    ? []
    : [{ claim: "found", text: `turn ${at}: ${count(others.length, "other word")} not sent` }];
}

function isSearchedBefore({ turns }: Played, at: number): boolean {
  return turns.slice(0, at).some(({ behind }) => behind.length > 0);
}

/** True where the one search so far was behind the last turn and had no request left: it goes on behind the next one. */
function isFirstSpent(before: readonly PlayedTurn[]): boolean {
  const searched = before.filter(({ behind }) => behind.length > 0);
  return searched.length === 1 && searched[0] === before.at(-1) && searched[0]!.behind.length === MAX_BEHIND;
}

function checkAnswer(played: Played, at: number): Fault[] {
  const turn = played.turns[at]!;
  const { rule, wording } = played.plan;
  if (turn.answered && accepted(turn)) return [];
  if (turn.phase !== "refused") return [{ claim: "answered", text: `turn ${at}, ${turn.phase}: ${shown(turn)}` }];
  if (rule.scope !== "chance" && lastWordsTaken(played, at) && !isFirstFailure(played, at))
    return [{ claim: "answered", text: `turn ${at}: ${shown(turn)}` }];
  // The SDKs show a body that is no error of their API's as JSON.
  const said = turn.text.replaceAll(/[\s\\]+/g, " ");
  const words = wording.words.replaceAll(/\s+/g, " ").slice(0, 24).replace(/[."]$/, "");
  const isTold = said !== "" && (said.includes(words) || UNREAD.test(said) || OWN_SENTENCE.test(said));
  return isTold ? [] : [{ claim: "told", text: `turn ${at}: ${shown(turn)}` }];
}

/** True for the first question in a process that a failure has met which says nothing of it: one may be load. */
function isFirstFailure({ plan, turns }: Played, at: number): boolean {
  const killedAt = turns.findIndex(({ phase }) => phase === "refused") + plan.killAfter;
  const from = plan.killAfter >= 0 && killedAt < at ? killedAt + 1 : 0;
  return saysNothing(plan) && !turns.slice(from, at).some(isRefused);
}

/** True for an error that says nothing of its request: a server error, words of load. */
function saysNothing({ wording: { status, kind } }: Plan): boolean {
  return status >= 500 || kind === "load";
}

function shown({ text }: PlayedTurn): string {
  return text === "" ? "nothing was shown" : `shown: ${JSON.stringify(text.slice(0, 120))}`;
}

/** True where the provider would take the person's last message alone, judged by its own rule. */
export function lastWordsTaken({ plan, turns }: Played, at: number): boolean {
  const { requests, mark } = turns[at]!;
  const body = requests[0]?.body;
  if (body === undefined) return false;
  const alone = withLastWordsOnly(plan.api as Api, body as JsonObject, makeMessage(mark));
  return takes(plan.rule, plan.api, alone);
}

function takes(rule: HiddenRule, api: Api, body: JsonObject): boolean {
  if (rule.scope === "chance") return false;
  return rule.breach(seenIn(api, body, JSON.stringify(body))) === undefined;
}

function count(number: number, of: string): string {
  return `${number} ${of}${number === 1 ? "" : "s"}`;
}
