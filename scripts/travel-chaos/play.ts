import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Session } from "../../harness/openclaw/types.ts";
import { startProvider, type StrictProvider, type ToolCallSpec } from "../../harness/providers/index.ts";
import { TOOLS } from "../../harness/openclaw/travelling.ts";
import { check, type Evidence, hasMoved } from "./check.ts";
import type { Finding } from "./finding.ts";
import { Host, type HostOptions, type Said } from "./host.ts";
import { type Kill, type PlanOptions, planKills, SLOW_CALL_MS, type Turns } from "./plan.ts";
import { writeHistory, SCENARIOS, type Scenario } from "./scenarios.ts";
import type { Step } from "./steps.ts";
import { readStored, type Stored } from "./stored.ts";

/** What became of one kill. */
export interface Outcome {
  readonly kill: Kill;
  /** False when the turn ended before its place or time came; it was killed behind it then. */
  readonly isKilled: boolean;
  readonly moved: boolean;
  /** OpenClaw's index of the session right after the kill. */
  readonly needsRebuild: boolean | undefined;
  readonly findings: readonly Finding[];
  /**
   * What the OpenClaw that nobody patched made of the state as it was after the kill; undefined where it was not asked.
   */
  readonly stock?: Said | undefined;
  /** What the patched gateway made of it. */
  readonly gateway?: { readonly said: readonly Said[]; readonly findings: readonly Finding[] } | undefined;
}

/** One run of the chaos on a release. */
export interface PlayOptions extends Omit<HostOptions, "providerUrl"> {
  /** The kills, by the steps of turns that nobody disturbed. */
  readonly plan: (turns: Turns, turnMs: number) => readonly Kill[];
  /** Every how many kills the unpatched OpenClaw, and the gateway, is started on a copy of the state; 0 is never. */
  readonly stockEvery: number;
  readonly gatewayEvery: number;
  /** How many are killed at once, one by default. */
  readonly lanes?: number;
  readonly done: (outcome: Outcome) => void;
}

/** A plan for {@link playRelease} that visits every place; of its kills those with these numbers, if there are any. */
export function everyPlace(options: Omit<PlanOptions, "turnMs">, only?: readonly number[]): PlayOptions["plan"] {
  return (turns, turnMs) =>
    planKills(turns, { ...options, turnMs }).filter(({ n }) => only === undefined || only.includes(n));
}

// One state with a hundred conversations would make the later kills others than the first ones.
const KILLS_PER_STATE = 12;
const NEXT = ["and now?", "and then?"] as const;

/** Plays all kills of a plan on one release. Rejects when OpenClaw does not come up. */
export async function playRelease(options: PlayOptions): Promise<void> {
  await onNewState(options, async (host, provider) => {
    const { turns, turnMs } = await lookAt(host, provider);
    const plan = options.plan(turns, turnMs);
    const groups = Array.from({ length: Math.ceil(plan.length / KILLS_PER_STATE) }, (_, at) =>
      plan.slice(at * KILLS_PER_STATE, (at + 1) * KILLS_PER_STATE),
    );
    const lane = async (): Promise<void> => {
      for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
        const kills = group;
        await onNewState(options, (own, asked) => playAll(kills, own, asked, options));
      }
    };
    // A start takes longest: the process that was looked at is the first one to be killed.
    const first = playAll(groups.shift() ?? [], host, provider, options).then(lane);
    await Promise.all([first, ...Array.from({ length: (options.lanes ?? 1) - 1 }, lane)]);
  });
}

async function playAll(
  kills: readonly Kill[],
  host: Host,
  provider: StrictProvider,
  options: PlayOptions,
): Promise<void> {
  for (const kill of kills) options.done(await play(kill, host, provider, options));
}

async function onNewState<Result>(
  options: PlayOptions,
  work: (host: Host, provider: StrictProvider) => Promise<Result>,
): Promise<Result> {
  const provider = await startProvider();
  try {
    const host = await Host.make({ ...options, providerUrl: provider.url });
    try {
      return await work(host, provider);
    } finally {
      await host.close();
    }
  } finally {
    await provider.close();
  }
}

/** A turn to each target that is not killed. Throws when one is not answered. */
async function lookAt(host: Host, provider: StrictProvider): Promise<{ turns: Turns; turnMs: number }> {
  // The first turn of a process is far slower than the others.
  const first = new Conversation(host, provider, SCENARIOS[0]!);
  await first.store();
  await first.turn([]);
  const turns = new Map<Scenario, readonly Step[]>();
  let turnMs = 0;
  for (const scenario of SCENARIOS) {
    const conversation = new Conversation(host, provider, scenario);
    await conversation.store();
    host.order({ tag: conversation.tag });
    const { answered, error } = await conversation.turn(conversation.calls(false));
    if (!answered) throw new Error(`expected an answer in a turn that nobody disturbs; found: ${error ?? "none"}`);
    const [asked, again] = provider.requests;
    turns.set(scenario, host.taken().steps);
    turnMs = Math.max(turnMs, again!.at - asked!.at);
    // What was taken down is of one turn.
    await host.kill();
    host.relieve();
  }
  return { turns, turnMs };
}

async function play(
  kill: Kill,
  host: Host,
  provider: StrictProvider,
  { stockEvery, gatewayEvery }: PlayOptions,
): Promise<Outcome> {
  const conversation = new Conversation(host, provider, kill.scenario);
  const { tag, question, session } = conversation;
  await conversation.store();
  const before = readStored(host.stateDir, session.id);
  const isSlow = kill.area === "at random, while the other call runs";
  host.order({ tag, ...(kill.place && { place: kill.place }) });
  const turn = conversation.turn(conversation.calls(isSlow));
  const isKilled =
    kill.delayMs === undefined
      ? !(await turn).answered && host.taken().killed !== undefined
      : await killIn(kill.delayMs, turn, host, provider);
  await host.kill();
  host.relieve();
  const atKill = readStored(host.stateDir, session.id);
  const known = { kill, isKilled, tag, question, before, atKill };

  const isDue = (every: number): boolean => every > 0 && kill.n % every === 0;
  const stock = isDue(stockEvery)
    ? await host.onCopy(() => conversation.next(() => host.sendToStock(session, NEXT[0])))
    : undefined;
  const gateway = isDue(gatewayEvery)
    ? await host.onCopy(async () => judge(known, host, conversation, () => host.sendToGateway(session, NEXT)))
    : undefined;
  const { findings } = await judge(known, host, conversation, async () => [
    await host.send(session, NEXT[0]),
    await host.send(session, NEXT[1]),
  ]);
  return { kill, isKilled, moved: hasMoved(known), needsRebuild: atKill.needsRebuild, findings, stock, gateway };
}

/** Ends OpenClaw so long after the answer with the calls has been asked for. False when the turn was over before. */
async function killIn(delayMs: number, turn: Promise<Said>, host: Host, provider: StrictProvider): Promise<boolean> {
  const over = turn.then(() => "over" as const);
  let first: unknown;
  while (provider.requests.length === 0 && first !== "over") first = await Promise.race([sleep(1), over]);
  const isKilled = (await Promise.race([sleep(delayMs), over])) !== "over";
  await host.kill();
  await over;
  return isKilled;
}

type Known = Omit<Evidence, "after" | "said" | "requests" | "exchange">;

async function judge(
  known: Known,
  host: Host,
  conversation: Conversation,
  send: () => Promise<Said[]>,
): Promise<{ said: Said[]; findings: Finding[] }> {
  const { session } = conversation;
  const said = await conversation.next(send);
  const requests = conversation.provider.requests.map(({ status, body, violations }) => ({ status, body, violations }));
  const after: Stored = readStored(host.stateDir, session.id);
  return { said, findings: check({ ...known, after, said, requests, exchange: [NEXT[0], conversation.answer] }) };
}

/** A conversation in which the agent goes back, and what is said in it. */
class Conversation {
  readonly provider: StrictProvider;
  readonly session: Session;
  readonly tag: string;
  readonly question: string;
  /** To the first message behind the kill. */
  readonly answer: string;
  readonly #host: Host;
  readonly #scenario: Scenario;

  constructor(host: Host, provider: StrictProvider, scenario: Scenario) {
    const id = randomUUID();
    const seed = id.slice(0, 8);
    this.provider = provider;
    this.#host = host;
    this.#scenario = scenario;
    this.tag = `travel-note-${seed}`;
    this.question = `what did I ask you first, ${seed}?`;
    this.answer = `a grey heron, ${seed}`;
    this.session = {
      id,
      key: `agent:main:travel-${seed}`,
      transcript: writeHistory(seed),
      api: "anthropic-messages",
      tools: [...TOOLS],
    };
  }

  async store(): Promise<void> {
    await this.#host.store(this.session);
  }

  /** The move, and another call of the same batch; what that one brings is not to be read from the call. */
  calls(isSlow: boolean): ToolCallSpec[] {
    const { session, tag } = this;
    const move = {
      name: "tobe",
      arguments: {
        target: this.#scenario.target(session.id.slice(0, 8)),
        carryover_message: `do it otherwise, ${tag}`,
      },
    };
    return [
      move,
      isSlow
        ? { name: "exec", arguments: { command: `sleep ${SLOW_CALL_MS / 1000}; echo $((40 + 2)) herons` } }
        : { name: "read", arguments: { path: "note.txt" } },
    ];
  }

  /** The user's question, answered with these calls. */
  async turn(calls: readonly ToolCallSpec[]): Promise<Said> {
    this.provider.reset();
    if (calls.length > 0) this.provider.script({ kind: "tool", calls: [...calls] });
    return await this.#host.send(this.session, this.question);
  }

  /** What is said after the kill; the provider has forgotten what it was asked before. */
  async next<Result>(send: () => Promise<Result>): Promise<Result> {
    this.provider.reset();
    this.provider.script({ kind: "text", text: this.answer });
    return await send();
  }
}
