import { buildTree } from "../../src/store/sessions/entry-tree.ts";
import { isObject, type JsonObject } from "../../src/transcript/json/json.ts";
import { SAID } from "../../harness/openclaw/live.ts";
import type { Finding, Rule } from "./finding.ts";
import type { Said } from "./host.ts";
import type { Kill } from "./plan.ts";
import { leftBy } from "./scenarios.ts";
import type { Stored } from "./stored.ts";

/** A request as the strict provider saw it. */
export interface Asked {
  readonly status: number;
  readonly body: unknown;
  readonly violations: readonly string[];
}

/** Everything that is known of a conversation that was killed around a move. */
export interface Evidence {
  readonly kill: Kill;
  /** Whether it was killed at its place, or at its time. */
  readonly isKilled: boolean;
  readonly question: string;
  /** In the agent's note. */
  readonly tag: string;
  /** Before the turn that was killed, right after the kill, and once OpenClaw has answered again. */
  readonly before: Stored;
  readonly atKill: Stored;
  readonly after: Stored;
  readonly said: readonly Said[];
  readonly requests: readonly Asked[];
  /** The first message behind the kill and its answer. */
  readonly exchange: readonly string[];
}

/** What the agent's note is marked with in a carryover. */
const OPENING = "[Carryover:";

/** Whether the move had happened when OpenClaw was killed. */
export function hasMoved({ tag, atKill }: Pick<Evidence, "tag" | "atKill">): boolean {
  return carryovers(atKill, tag).length > 0;
}

/** Holds the evidence of one kill against all rules. Uses nothing of the guard's. */
export function check(evidence: Evidence): Finding[] {
  return [
    ...checkAnswers(evidence),
    ...checkRows(evidence),
    ...checkPath(evidence),
    ...checkExchange(evidence),
    ...evidence.requests.flatMap((asked) => checkRequest(asked, evidence)),
  ];
}

function checkAnswers({ said, requests }: Evidence): Finding[] {
  return [
    ...said.flatMap(({ answered, error }, at) =>
      answered ? [] : [finding("answered", `message ${at + 1}: ${error ?? "no reason"}`)],
    ),
    ...(requests.length === 0 ? [finding("answered", "no request went out")] : []),
    ...requests.flatMap(({ status, violations }) =>
      status === 200 && violations.length === 0 ? [] : [finding("accepted", `${status}: ${violations.join("; ")}`)],
    ),
  ];
}

function checkRows(evidence: Evidence): Finding[] {
  const { before, atKill, after, tag, kill } = evidence;
  const moved = hasMoved(evidence);
  const isLater = ([earlier, later]: readonly [Stored, Stored]): Finding[] =>
    missing(earlier.rows, later.rows).map((row) =>
      finding("kept", `${String(row.type)} ${String(row.id)} is gone or another one`),
    );
  const expected = evidence.isKilled ? isBehindCommit(kill) : undefined;
  const count = carryovers(after, tag).length;
  return [
    ...(
      [
        [before, atKill],
        [atKill, after],
      ] as const
    ).flatMap(isLater),
    ...(expected === undefined || expected === moved
      ? []
      : [finding("committed", moved ? "it is stored" : "it is not stored")]),
    ...(count > 1 ? [finding("one-carryover", `${count} of them`)] : []),
    ...(count === 0 && moved ? [finding("steady", "the carryover is gone")] : []),
    ...(count > 0 && !moved ? [finding("steady", "the move was made after the kill")] : []),
    ...(after.needsRebuild === true ? [finding("index", "it waits to be rebuilt")] : []),
  ];
}

function checkExchange({ requests, exchange }: Evidence): Finding[] {
  const texts = textsIn(bodyMessages(requests.at(-1)?.body));
  return exchange
    .filter((said) => !texts.some((text) => text.includes(said)))
    .map((said) => finding("goes-on", `"${said}" is not there`));
}

/** Undefined where it cannot be known from outside. */
function isBehindCommit({ place, area }: Kill): boolean | undefined {
  if (!place) return undefined;
  if (place.from === "batch") return false;
  if (area === "right behind COMMIT" || area === "a few steps later") return true;
  // A line counts as soon as all of it is there; a row, with its transaction.
  if (area === "the carryover's line without its newline") return true;
  if (area === "right behind the carryover's row") return undefined;
  return false;
}

function checkPath(evidence: Evidence): Finding[] {
  const {
    atKill,
    after,
    before,
    kill: { scenario },
    tag,
  } = evidence;
  const [path, later, earlier] = [atKill, after, before].map(({ rows }) => listIds(buildTree(rows).path)) as [
    string[],
    string[],
    string[],
  ];
  const undone = path.find((id, at) => later[at] !== id);
  const findings =
    undone === undefined
      ? []
      : [
          finding(
            "steady",
            `${undone} was the ${path.indexOf(undone) + 1}th entry of ${path.length} at the kill, and is no more`,
          ),
        ];
  if (!hasMoved(evidence)) {
    const off = earlier.find((id, at) => path[at] !== id);
    const batch = messagesWith(atKill.rows, tag)
      .map(({ id }) => String(id))
      .find((id) => !path.includes(id));
    return off === undefined && batch === undefined
      ? findings
      : [...findings, finding("whole", `${off ?? batch} is not on the path, and there is no carryover`)];
  }
  const carryover = String(carryovers(atKill, tag)[0]?.id);
  const place = path.indexOf(carryover);
  const wanted = scenario.position === undefined ? [] : messageIds(before.rows).slice(0, scenario.position + 1);
  const found = path.slice(0, Math.max(place, 0));
  if (place >= 0 && found.join() === wanted.join()) return findings;
  return [
    ...findings,
    finding(
      "whole",
      `expected ${wanted.length} entries before the carryover, found ${place < 0 ? "no carryover on the path" : found.length}`,
    ),
  ];
}

function checkRequest({ body }: Asked, evidence: Evidence): Finding[] {
  const {
    kill: { scenario },
    question,
    tag,
    atKill,
  } = evidence;
  const texts = textsIn(bodyMessages(body));
  const has = (text: string): boolean => texts.some((one) => one.includes(text));
  const findings: Finding[] = [];
  const carried = texts.filter((text) => text.includes(OPENING) && text.includes(tag));
  if (hasMoved(evidence)) {
    if (carried.length !== 1) findings.push(finding("whole", `the request has the carryover ${carried.length} times`));
    findings.push(
      ...scenario.kept
        .filter((text) => !has(text))
        .map((text) => finding("whole", `the request lacks "${text}", which lies before the target`)),
    );
    findings.push(
      ...leftBy(scenario)
        .filter((text) => texts.some((one) => withoutReminders(one).includes(text)))
        .map((text) => finding("whole", `the request has "${text}", which was left`)),
    );
    findings.push(
      ...resultsStored(atKill.rows, tag)
        .filter((text) => has(text))
        .map((text) => finding("whole", `the request has a result of the departure's batch, "${text}"`)),
    );
  } else {
    if (carried.length > 0) findings.push(finding("whole", "the request has a carryover that was not stored"));
    findings.push(
      ...[...SAID, ...resultsStored(atKill.rows, tag)]
        .filter((text) => !has(text))
        .map((text) => finding("whole", `the request lacks "${text}"`)),
    );
  }
  const times = texts.filter((text) => text.includes(question)).length;
  // Without a move OpenClaw may itself repeat, in the next prompt, what it had not begun to answer.
  if (times === 0 || (times > 1 && carried.length > 0))
    findings.push(finding("asked-once", `it is there ${times} times`));
  return findings;
}

/** A text without the lines by which a carryover reminds of what was said, and done, on the way that was left. */
function withoutReminders(text: string): string {
  return text.includes(OPENING) ? text.replaceAll(/^> - .*$/gm, "") : text;
}

function bodyMessages(body: unknown): unknown {
  return isObject(body) ? body.messages : undefined;
}

function finding(rule: Rule, message: string): Finding {
  return { rule, message };
}

function carryovers({ rows }: Stored, tag: string): JsonObject[] {
  return rows.filter((row) => row.customType === "openclaw-integrity:carryover" && String(row.content).includes(tag));
}

/** The rows that are not in a later list as they were. */
function missing(rows: readonly JsonObject[], later: readonly JsonObject[]): JsonObject[] {
  const there = new Set(later.map((row) => JSON.stringify(row)));
  return rows.filter((row) => !there.has(JSON.stringify(row)));
}

function listIds(rows: readonly JsonObject[]): string[] {
  return rows.map(({ id }) => String(id));
}

function messageIds(rows: readonly JsonObject[]): string[] {
  return listIds(rows.filter(({ type }) => type === "message"));
}

/** The message with the agent's calls and everything of its batch that is stored. */
function messagesWith(rows: readonly JsonObject[], tag: string): JsonObject[] {
  const answer = rows.find(
    ({ type, message }) =>
      type === "message" && isObject(message) && message.role === "assistant" && JSON.stringify(message).includes(tag),
  );
  if (!answer) return [];
  const calls = callIds(answer);
  return [
    answer,
    ...rows.filter(
      ({ message }) => isObject(message) && message.role === "toolResult" && calls.includes(message.toolCallId),
    ),
  ];
}

function callIds({ message }: JsonObject): unknown[] {
  const content = isObject(message) && Array.isArray(message.content) ? message.content : [];
  return content
    .filter(isObject)
    .filter(({ type }) => type === "toolCall")
    .map(({ id }) => id);
}

/** What the calls of the batch brought, as far as it is stored. */
function resultsStored(rows: readonly JsonObject[], tag: string): string[] {
  return messagesWith(rows, tag)
    .slice(1)
    .flatMap(({ message }) => textsIn(isObject(message) ? message.content : []))
    .map((text) => text.trim())
    .filter((text) => text !== "");
}

/** Every text in a list of messages: of blocks, of results, and of what is a plain string. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return typeof value.text === "string" ? [value.text] : textsIn(value.content);
}
