import type { SeenRequest } from "./model.ts";
import type { Said } from "./said.ts";
import { makeTag } from "./tags.ts";
import type { Closing } from "./witness.ts";

/** What must not be. */
export const FAULT_KINDS = [
  /** An acknowledged message is in no request that was accepted, and nobody was told so. */
  "message lost",
  /** The same of one whose run the person has stopped or interrupted. */
  "stopped unread",
  /** It was in one and is not in the last one, nor in what a summary was made of. */
  "message forgotten",
  /** The same of a real result. */
  "result forgotten",
  /** A message was sent to a model, and never with its picture. */
  "picture lost",
  /** A message has neither an answer nor a word. */
  "no word",
  /** A request says of a call that it never began, or an invention in place of its result, and it had begun. */
  "told wrongly",
  "command run twice",
  "rule broken",
  "incident of the guard",
  "gateway ended",
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** One thing that must not be. */
export interface Fault {
  kind: FaultKind;
  conversation: string;
  /** The action that it came with, where it is known. */
  action?: number;
  detail: string;
}

/** All that was seen of a side. */
export interface Seen {
  said: readonly Said[];
  requests: readonly SeenRequest[];
  closings(run: string): readonly Closing[];
  /** Whether a person was shown the answer to this message. */
  isAnswered(conversation: string, name: string): boolean;
  /** Whether a person was told of this message by its words. */
  isNamed(conversation: string, name: string): boolean;
  /** How often each command has begun, by call. */
  begun: ReadonlyMap<string, number>;
  /** What the guard itself has found to be forgotten. */
  forgotten: readonly { conversation: string; detail: string }[];
  deaths: readonly string[];
  /** Messages that an operator has taken back, by their tags: they and what they led to are gone by right. */
  takenBack: ReadonlySet<string>;
}

/** Everything that must not be and is; pure. */
export function findFaults(seen: Seen): Fault[] {
  const byConversation = Map.groupBy(seen.requests, ({ conversation }) => conversation);
  const messages = Map.groupBy(seen.said, ({ conversation }) => conversation);
  return [
    ...[...messages].flatMap(([conversation, said]) => [
      ...said.flatMap((one) => messageFaults(one, byConversation.get(conversation) ?? [], seen)),
      ...forgottenResults(conversation, byConversation.get(conversation) ?? [], seen),
      ...falseOutcomes(conversation, byConversation.get(conversation) ?? []),
    ]),
    ...[...seen.begun]
      .filter(([, times]) => times > 1)
      .map(([call, times]): Fault => {
        return { kind: "command run twice", conversation: call.split("m")[0] ?? "", detail: `${call}: ${times} times` };
      }),
    ...seen.requests.flatMap(({ conversation, record }): Fault[] => {
      const [first] = record.violations;
      return first === undefined ? [] : [{ kind: "rule broken", conversation, detail: `${record.api}: ${first}` }];
    }),
    ...seen.forgotten.map((one): Fault => ({ kind: "incident of the guard", ...one })),
    ...seen.deaths.map((detail): Fault => ({ kind: "gateway ended", conversation: "", detail })),
  ];
}

function messageFaults(said: Said, requests: readonly SeenRequest[], seen: Seen): Fault[] {
  const { conversation, action, message, run } = said;
  const { name } = message;
  if (run === undefined || seen.takenBack.has(makeTag(conversation, name))) return [];
  const faults: Fault[] = [];
  const fault = (kind: FaultKind, detail: string): void => {
    faults.push({ kind, conversation, action, detail: `${name}${describeMode(said)}: ${detail}` });
  };
  const closings = seen.closings(run);
  const ended = closings.map(({ state, text, error }) => `${state} ${JSON.stringify(text || error)}`).join(", ");
  const accepted = requests.filter(isAccepted);
  if (!accepted.some(({ messages }) => messages.has(name))) {
    if (!seen.isNamed(conversation, name))
      fault(
        said.stopped ? "stopped unread" : "message lost",
        `in none of ${accepted.length} requests; its run: ${ended || "no end"}`,
      );
  } else if (isForgotten(accepted, ({ messages }) => messages.has(name)) && !seen.isNamed(conversation, name)) {
    fault(
      "message forgotten",
      whereGone(accepted, ({ messages }) => messages.has(name)),
    );
  }
  const having = accepted.filter(({ messages }) => messages.has(name));
  // A picture that a weak model was not shown may be too old for OpenClaw when another one is asked.
  if (message.picture === true && having[0]?.weak === false && !having.some(({ pictures }) => pictures.has(name)))
    fault("picture lost", `the message is in ${having.length} requests, its picture in none`);
  const hasWord = closings.some(({ state, text, error }) => text !== "" || error !== "" || state === "error");
  const isStopped = said.stopped && closings.some(({ state }) => state === "aborted");
  if (!seen.isAnswered(conversation, name) && !hasWord && !isStopped)
    fault("no word", `its run: ${ended || (said.failed ?? "no end")}`);
  return faults;
}

function describeMode({ message: { mode } }: Said): string {
  return mode === undefined ? "" : ` (${mode})`;
}

function forgottenResults(conversation: string, requests: readonly SeenRequest[], { takenBack }: Seen): Fault[] {
  const accepted = requests.filter(isAccepted);
  const calls = new Set(accepted.flatMap(({ results }) => [...results]));
  return [...calls]
    .filter((call) => isForgotten(accepted, ({ results }) => results.has(call)))
    .filter((call) => !isWithheld(accepted, call))
    .filter((call) => !takenBack.has(makeTag(conversation, /m\d+(?=k)/.exec(call)?.[0] ?? "")))
    .map((call) => ({
      kind: "result forgotten",
      conversation,
      detail: `${call}: ${whereGone(accepted, ({ results }) => results.has(call))}`,
    }));
}

/** Once for each call, however many requests say it. */
function falseOutcomes(conversation: string, requests: readonly SeenRequest[]): Fault[] {
  const calls = new Set(requests.flatMap(({ toldWrongly }) => toldWrongly));
  return [...calls].map((detail) => ({ kind: "told wrongly", conversation, detail }));
}

function isAccepted({ record }: SeenRequest): boolean {
  return record.status === 200 && record.violations.length === 0;
}

/** In a request, not in the last one, in none of which a summary was made, and not gone with an extract in words. */
function isForgotten(accepted: readonly SeenRequest[], has: (request: SeenRequest) => boolean): boolean {
  // What a weak model does not take is in the request again that goes to another one.
  const asked = accepted.filter(({ summary, weak }) => !summary && !weak);
  const at = asked.findLastIndex(has);
  if (at < 0 || at === asked.length - 1 || accepted.some((one) => one.summary && has(one))) return false;
  const { extract } = asked[at + 1]!;
  return extract === undefined || extract === asked[at]!.extract;
}

/** Whether a text that says so took the place of a result. */
function isWithheld(accepted: readonly SeenRequest[], call: string): boolean {
  const asked = accepted.filter(({ summary, weak }) => !summary && !weak);
  const at = asked.findLastIndex(({ results }) => results.has(call));
  return asked[at + 1]!.withheld > asked[at]!.withheld;
}

function whereGone(accepted: readonly SeenRequest[], has: (request: SeenRequest) => boolean): string {
  const last = accepted.findLastIndex(has);
  return `in request ${last + 1} of ${accepted.length}, and in none behind it`;
}
