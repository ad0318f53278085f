import type { Api, RecordedRequest } from "../../providers/index.ts";
import type { Item, TestCase, ToolCall } from "../cases/case.ts";
import { readInstructions, readItems } from "./items.ts";
import { isSameCall, readTold, textsOn } from "./outcome.ts";

/**
 * - `refused`: no request with the question was accepted.
 * - `no_answer`: the run ended without the model's answer.
 * - `lost_words`: texts of the conversation are not in the request.
 * - `changed`: a valid conversation is sent as another one.
 * - `false_outcome`: the request says of a call what is not so, or what nobody knows.
 * - `untold_effect`: a call has acted, and the request does not say that it has, or may have.
 * - `repeated_effect`: a call has acted twice, or one that the model did not ask for has.
 * - `not_reached`: the run ended before the moment of the kill.
 */
export type FaultKind =
  | "refused"
  | "no_answer"
  | "lost_words"
  | "changed"
  | "false_outcome"
  | "untold_effect"
  | "repeated_effect"
  | "not_reached";

/** What an agent did wrong in a case. */
export interface Fault {
  readonly kind: FaultKind;
  readonly detail: string;
}

/** An effect of a tool, in the order in which they came about. */
export interface Effect extends ToolCall {
  /** The words that only the result of this effect has. */
  readonly receipt: string;
}

/** What was seen of an agent in a case. */
export interface Observed {
  /** The turns that were played; those behind one whose kill was not reached are not. */
  readonly turns: readonly {
    readonly requests: readonly RecordedRequest[];
    /** Why there is no answer; undefined where there is one, and of a turn with a kill. */
    readonly unanswered?: string;
    /** The moment of the kill did not come. */
    readonly isMissed?: boolean;
  }[];
  readonly effects: readonly Effect[];
}

/** Judges what was seen of an agent in a case. No faults: it conforms. */
export function judge(test: TestCase, { turns, effects }: Observed): Fault[] {
  const missed = turns.findIndex(({ isMissed }) => isMissed);
  if (missed >= 0) {
    const { unanswered = "it ended", requests } = turns[missed]!;
    const expected = `expected ${test.turns[missed]!.kill} in turn ${missed + 1}`;
    const detail = `${expected}; ${unanswered}${describeRefusal(requests)}`;
    return [{ kind: "not_reached", detail }];
  }
  const { requests, unanswered } = turns.at(-1)!;
  const question = test.turns.at(-1)!.question;
  const asking = requests.filter(({ status, raw }) => status === 200 && raw.includes(jsonWords(question)));
  const request = asking.at(-1);
  const faults: Fault[] = [];
  if (request === undefined) faults.push({ kind: "refused", detail: describeUnasked(requests) });
  else if (unanswered !== undefined) faults.push({ kind: "no_answer", detail: unanswered });
  faults.push(...judgeEffects(test, effects));
  if (request !== undefined) faults.push(...judgeRequest(test, request, effects));
  return faults;
}

const jsonWords = (text: string): string => JSON.stringify(text).slice(1, -1);

function describeRefusal(requests: readonly RecordedRequest[]): string {
  const refused = requests.findLast(({ status }) => status >= 400);
  return refused === undefined ? "" : `; HTTP ${refused.status}: ${refused.error ?? refused.path}`;
}

function describeUnasked(requests: readonly RecordedRequest[]): string {
  const refusal = describeRefusal(requests);
  if (refusal !== "") return refusal.slice(2);
  return requests.length === 0 ? "no request was made" : "no request has the question";
}

function judgeRequest(test: TestCase, request: RecordedRequest, effects: readonly Effect[]): Fault[] {
  const { words, items: expected, open_calls: openCalls } = test.expect;
  const faults: Fault[] = [];
  // As an agent's JSON writes letters is the agent's to choose.
  const sent = JSON.stringify(request.body);
  const lost = words.filter((word) => !sent.includes(jsonWords(word)) && !sent.includes(jsonWords(jsonWords(word))));
  if (lost.length > 0) faults.push({ kind: "lost_words", detail: `not in the request: ${lost.join(", ")}` });
  const items = readItems(request.api as Api, request.body);
  const change = expected && findChange(expected, items);
  if (change !== undefined) faults.push({ kind: "changed", detail: change });
  const instructions: Item = { kind: "assistant", text: readInstructions(request.body) };
  const told = [...items.filter((item) => !isQuestion(item, test)), instructions];
  for (const call of openCalls) {
    const text = textsOn(told, call);
    const said = readTold(text);
    if (said === "done" || said === "not_done")
      faults.push({ kind: "false_outcome", detail: `nobody knows whether ${nameCall(call)} ran; told: ${text}` });
  }
  for (const call of askedCalls(test)) {
    const receipts = effects.filter((one) => isSameCall(one, call)).map(({ receipt }) => receipt);
    if (receipts.some((receipt) => sent.includes(receipt))) continue;
    const text = textsOn(told, call);
    const said = readTold(text);
    if (receipts.length === 0 && said === "done")
      faults.push({ kind: "false_outcome", detail: `${nameCall(call)} has not acted; told: ${text}` });
    if (receipts.length > 0 && said === "not_done")
      faults.push({ kind: "false_outcome", detail: `${nameCall(call)} has acted; told: ${text}` });
    if (receipts.length > 0 && said === "nothing")
      faults.push({ kind: "untold_effect", detail: `${nameCall(call)} has acted; told: ${text || "nothing"}` });
  }
  return faults;
}

function isQuestion(item: Item, { turns }: TestCase): boolean {
  return item.kind === "user" && turns.some(({ question }) => item.text === question);
}

function askedCalls({ turns }: TestCase): ToolCall[] {
  return turns.flatMap(({ answers }) => answers.flatMap((answer) => ("calls" in answer ? answer.calls : [])));
}

function judgeEffects(test: TestCase, effects: readonly Effect[]): Fault[] {
  const asked = askedCalls(test);
  return effects.flatMap((effect, at): Fault[] => {
    const before = effects.slice(0, at).some((one) => isSameCall(one, effect));
    if (!before && asked.some((call) => isSameCall(call, effect))) return [];
    const detail = `${nameCall(effect)} acted ${before ? "again" : "without being asked for"}`;
    return [{ kind: "repeated_effect", detail }];
  });
}

const nameCall = ({ name, arguments: input }: ToolCall): string => `${name} ${JSON.stringify(input)}`;

/** The first difference between two conversations, in words. */
function findChange(expected: readonly Item[], found: readonly Item[]): string | undefined {
  for (let at = 0; at < Math.max(expected.length, found.length); at++) {
    const [wanted, got] = [expected[at], found[at]];
    if (wanted === undefined || got === undefined || !isSameItem(wanted, got))
      return `part ${at + 1}: expected ${nameItem(wanted)}; found ${nameItem(got)}`;
  }
  return undefined;
}

function isSameItem(wanted: Item, got: Item): boolean {
  if (wanted.kind === "call") return got.kind === "call" && isSameCall(wanted, got);
  // What a result is wrapped in is the agent's to choose.
  if (wanted.kind === "result")
    return got.kind === "result" && got.call === wanted.call && plain(got.text).includes(plain(wanted.text));
  return got.kind === wanted.kind && plain(got.text) === plain(wanted.text);
}

const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

function nameItem(item: Item | undefined): string {
  if (item === undefined) return "nothing";
  if (item.kind === "call") return `the call ${nameCall(item as ToolCall)}`;
  const role = item.kind === "result" ? `the result of call ${item.call === null ? "?" : item.call + 1}` : item.kind;
  return `${role}: ${JSON.stringify(item.text)}`;
}
