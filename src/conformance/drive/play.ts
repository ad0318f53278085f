import type { Step, StrictProvider } from "../../providers/index.ts";
import { type AgentInput, type Answer, type TestCase, type Turn, VERSION } from "../cases/case.ts";
import type { Observed } from "../judge/judge.ts";
import type { Agent, Ended } from "./agent.ts";
import type { Effects } from "./effects.ts";

/** Where a case is played. */
export interface World {
  readonly agent: Agent;
  readonly provider: StrictProvider;
  readonly effects: Effects;
  /** For one turn. */
  readonly limitMs: number;
}

/** For an agent to read the beginning of an answer; what is expected of it does not depend on the time. */
const READING_MS = 30;
/** An agent that asks this often in a turn goes round in a circle. */
const MOST_REQUESTS = 100;

/** Plays the turns of a case; `state` is the folder for what the agent stores. */
export async function playCase(
  test: TestCase,
  { session, state }: { readonly session: string; readonly state: string },
  world: World,
): Promise<Observed> {
  const { effects, provider } = world;
  effects.clear();
  const turns: Observed["turns"][number][] = [];
  for (const [at, turn] of test.turns.entries()) {
    const input: AgentInput = {
      version: VERSION,
      case: test.id,
      session,
      form: test.form,
      ...(at === 0 && test.history && { history: test.history }),
      question: turn.question,
      tools: test.tools,
      provider_url: provider.url,
      tools_url: effects.url,
      state,
    };
    const played = await playTurn(turn, input, world);
    turns.push(played);
    if (played.isMissed) break;
  }
  return { turns, effects: [...effects.list] };
}

async function playTurn(turn: Turn, input: AgentInput, world: World): Promise<Observed["turns"][number]> {
  const { agent, provider, effects, limitMs } = world;
  const { promise: stopped, resolve: stop } = defer<"kill" | "circle">();
  const reached = (): void => stop("kill");
  const calls = turn.answers.flatMap((answer) => ("calls" in answer ? answer.calls : [])).length;
  provider.reset();
  provider.script(...turn.answers.map((answer, at) => toStep(answer, turn, at)));
  provider.front(({ nth }) => {
    if (nth >= MOST_REQUESTS) stop("circle");
    if (turn.kill === "in_answer") setTimeout(reached, READING_MS);
    if (turn.kill !== "asked" && !(turn.kill === "returned" && effects.returned >= calls)) return undefined;
    reached();
    return { kind: "fault", fault: "hang" };
  });
  effects.play({ tools: input.tools, calls, kill: turn.kill, reached });
  const run = await agent.start(input);
  const clock = startClock(limitMs);
  try {
    const end = await Promise.race([run.ended, stopped, clock.over]);
    if (typeof end === "string") await run.kill();
    const requests = [...provider.requests];
    if (end === "kill") return { requests };
    const unanswered = whyUnanswered(end, turn, limitMs);
    if (turn.kill !== undefined) return { requests, isMissed: true, ...(unanswered && { unanswered }) };
    return { requests, ...(unanswered && { unanswered }) };
  } finally {
    clock.stop();
    effects.play(undefined);
    provider.reset();
  }
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function defer<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((given) => (resolve = given));
  return { promise, resolve };
}

function startClock(limitMs: number): { readonly over: Promise<"time">; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<"time">((resolve) => (timer = setTimeout(() => resolve("time"), limitMs)));
  return { over, stop: () => clearTimeout(timer) };
}

function toStep(answer: Answer, { answers, kill }: Turn, at: number): Step {
  if ("text" in answer)
    return { kind: "text", text: answer.text, ...(at === answers.length - 1 && { times: Infinity }) };
  const calls = answer.calls.map((call) => ({ ...call }));
  if ("fault" in answer) return { kind: "fault", fault: answer.fault, calls };
  return kill === "in_answer" ? { kind: "fault", fault: "hang-in-tool", calls } : { kind: "tool", calls };
}

function whyUnanswered(end: Ended | "circle" | "time", turn: Turn, limitMs: number): string | undefined {
  if (end === "time") return `it ran longer than ${limitMs / 1000} seconds`;
  if (end === "circle") return `it made more than ${MOST_REQUESTS} requests`;
  if (end.failure !== undefined) return end.failure;
  const answer = turn.answers.at(-1)!;
  return "text" in answer && !end.output.includes(answer.text) ? "its output has not the model's answer" : undefined;
}
