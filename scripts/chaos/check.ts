import type { RecordedRequest } from "../../harness/providers/index.ts";
import type { Conversation, KilledTurn } from "./conversation.ts";
import { faultOfReport, type Fault } from "./judge.ts";
import type { Runner, Said } from "./runner.ts";
import { readCycles, readTold, type Cycles, type Told } from "./told.ts";
import { readTraces, type Happened } from "./traces.ts";
import { judgeTruth, type Truth } from "./truth.ts";

/** Something that must not be, with what a person needs to see. */
export interface Failure {
  fault: Fault;
  detail: string;
}

/** One call that a kill met, and what the model was told of it. */
export interface Report {
  truth: Truth;
  told: Told;
}

/** What the next message of a conversation showed. */
export interface Check {
  answered: boolean;
  failures: Failure[];
  reports: Report[];
  /** Messages that had not got as far as a request or the store when OpenClaw was killed, and are nowhere. */
  neverTaken: number;
}

/** Sends the next message and looks at what OpenClaw sends for it. */
export async function checkNext(conversation: Conversation, runner: Runner): Promise<Check> {
  const { line, plan, chat } = conversation;
  const name = `${plan.tag}-check-${conversation.checks++}`;
  const [message, answer] = [`Go on. (${name})`, `Going on, ${name}.`];
  const stored = await runner.stored(chat);
  line.play(name, { kind: "text", text: answer, times: Infinity });
  const said = await runner
    .send(chat, message)
    .catch((error: unknown): Said => ({ answered: false, text: "", error: String(error) }));
  const requests = line.requests().slice(conversation.seen);
  conversation.seen += requests.length;
  const last = requests.findLast(({ status, raw }) => status === 200 && raw.includes(name));
  const failures = requests.flatMap(listRefusals);
  const answered = said.answered && said.text.includes(answer) && last !== undefined;
  if (!answered) failures.push({ fault: "not answered", detail: said.error ?? said.text });
  const check: Check = { answered, failures, reports: [], neverTaken: 0 };
  if (last === undefined) return check;
  for (const turn of conversation.turns) takeTurn(conversation, turn, stored, check, last);
  for (const { what, text, since } of conversation.known)
    if (!last.raw.includes(text)) failures.push({ fault: `${what} lost`, detail: `${text} ${since}` });
  judgeCalls(conversation, runner, last, check);
  const since = "it had been answered";
  conversation.known.push({ what: "user message", text: message, since }, { what: "answer", text: answer, since });
  return check;
}

/** What of a killed turn must be in the history from now on. */
function takeTurn(
  { known }: Conversation,
  { plan, sent, answered, place }: KilledTurn,
  stored: string,
  check: Check,
  { raw }: RecordedRequest,
): void {
  const isKnown = (text: string): boolean => known.some((one) => one.text === text);
  if (!isKnown(plan.message)) {
    const where = [...(sent ? ["in a request"] : []), ...(stored.includes(plan.message) ? ["in the store"] : [])];
    if (where.length > 0)
      known.push({ what: "user message", text: plan.message, since: `it had been ${where.join(" and ")} (${place})` });
    else if (!raw.includes(plan.message)) check.neverTaken++;
  }
  if (answered && !isKnown(plan.answer)) known.push({ what: "answer", text: plan.answer, since: "the person had it" });
}

function judgeCalls(
  { turns }: Conversation,
  runner: Runner,
  { body }: RecordedRequest,
  { reports, failures }: Check,
): void {
  const cycles = readCycles(body);
  const happened = readTraces(runner.places.traces);
  for (const { calls, killedAt, place } of turns) {
    for (const { plan, asked } of calls) {
      const facts = happened.get(plan.id) ?? new Map<string, number>();
      const truth = judgeTruth(plan, {
        killedAt,
        asked,
        facts,
        marginMs: runner.marginMs,
        seesEvents: runner.seesEvents,
      });
      const { told, text } = readTold(plan, cycles);
      reports.push({ truth, told });
      const fault = faultOfReport(truth, told);
      if (fault !== undefined)
        failures.push({
          fault,
          detail: `${plan.tool} ${plan.id} (${place}): ${truth}, told ${told} ${JSON.stringify(text.slice(0, 160))}${formatTimes(happened, plan.id, killedAt)}`,
        });
    }
  }
}

function formatTimes(happened: Happened, call: string, killedAt: number): string {
  return [...(happened.get(call) ?? [])].map(([what, ms]) => `; ${what} ${ms - killedAt} ms`).join("");
}

/** What was wrong with a request, whatever became of the turn. */
function listRefusals({ violations, body }: RecordedRequest): Failure[] {
  const cycles: Cycles = body === undefined ? { results: new Map(), halves: [] } : readCycles(body);
  const refused = violations.slice(0, 1).map((detail): Failure => ({ fault: "request refused", detail }));
  return [...refused, ...cycles.halves.map((detail): Failure => ({ fault: "half cycle", detail }))];
}
