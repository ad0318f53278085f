import { setTimeout as sleep } from "node:timers/promises";
import { checkNext, type Check } from "./check.ts";
import { makeConversation, planSteps, makeTranscript, type Conversation } from "./conversation.ts";
import type { Front } from "./front.ts";
import type { Episode, KillPlan, TurnPlan } from "./plan.ts";
import { toPlace } from "./places.ts";
import type { Progress } from "./progress.ts";
import type { Runner, Seed } from "./runner.ts";
import { readTraces, watchTraces } from "./traces.ts";

/** What became of an episode. */
export interface Outcome {
  n: number;
  conversations: { tag: string; turns: Conversation["turns"]; checks: Check[] }[];
  /** Kills of a process. */
  kills: number;
}

interface Begun {
  episode: Episode;
  conversations: Conversation[];
  checks: Map<Conversation, Check[]>;
}

const LONGEST_TURN_MS = 160_000;
const RESUMED_TURN_MS = 3_000;

/** Plays episodes one after the other on one state: the process that shows what became of one is killed in the next. */
export async function playEpisodes(
  episodes: readonly Episode[],
  { runner, front, progress }: { runner: Runner; front: Front; progress: Progress },
  done: (outcome: Outcome) => void,
): Promise<void> {
  const stop = watchTraces(runner.places.traces, progress);
  let open: Begun | undefined;

  /** Brings OpenClaw up and waits for the turns that it makes by itself. */
  async function start(seeds: readonly Seed[]): Promise<void> {
    await runner.start(seeds);
    const lines = open?.conversations.map(({ line }) => ({ line, before: line.requests().length })) ?? [];
    const resumed = (): number => lines.filter(({ line, before }) => line.requests().length > before).length;
    const end = performance.now() + (lines.length === 0 ? 0 : runner.resumesWithinMs);
    while (resumed() < lines.length && performance.now() < end) await sleep(200);
    // Lets a turn that began come to its end.
    if (resumed() > 0) await sleep(RESUMED_TURN_MS);
  }

  async function check({ checks }: Begun, conversations: readonly Conversation[]): Promise<void> {
    await Promise.all(
      conversations.map(
        async (conversation) => void checks.get(conversation)?.push(await checkNext(conversation, runner)),
      ),
    );
  }

  async function finish(): Promise<void> {
    if (open === undefined) return;
    await check(open, open.conversations);
    const { episode, conversations, checks } = open;
    done({
      n: episode.n,
      kills: episode.kills.length,
      conversations: conversations.map((one) => ({
        tag: one.plan.tag,
        turns: one.turns,
        checks: checks.get(one) ?? [],
      })),
    });
    for (const { tag } of episode.sessions) await front.drop(tag);
    open = undefined;
  }

  /** Sends the messages of the turns, and kills. */
  async function killTurns({ conversations, episode }: Begun, at: number): Promise<void> {
    const sent = conversations.map((conversation) => ({
      conversation,
      ...startTurn(conversation, conversation.plan.turns[at] as TurnPlan),
    }));
    const all = Promise.all(sent.map(({ ended }) => ended));
    const { mark, delayMs } = episode.kills[at] as KillPlan;
    // A turn that never gets to the milestone has its kill behind its end.
    await Promise.race([
      progress.reached(mark, delayMs),
      all.then(() => sleep(delayMs)),
      sleep(LONGEST_TURN_MS, undefined, { ref: false }),
    ]);
    const killedAt = await runner.kill();
    await all;
    // What is left of a turn's script is not for the turn that a gateway makes by itself.
    for (const { line, plan } of conversations)
      line.play(`${plan.tag}-resumed-${at}`, { kind: "text", text: "I have seen what happened.", times: Infinity });
    const happened = readTraces(runner.places.traces);
    for (const { conversation, plan, had } of sent)
      conversation.turns.push(
        killedTurn(conversation, plan, {
          had,
          killedAt,
          place: toPlace(plan, progress, happened, { killedAt, seesEvents: runner.seesEvents }),
        }),
      );
  }

  function startTurn(
    { line, chat }: Conversation,
    plan: TurnPlan,
  ): { plan: TurnPlan; ended: Promise<void>; had: { answer: boolean } } {
    line.play(plan.id, ...planSteps(plan, runner.places));
    const had = { answer: false };
    const ended = runner.send(chat, plan.message).then(
      ({ answered }) => {
        had.answer = answered;
        progress.mark(`${plan.id} ended`);
      },
      () => {},
    );
    progress.mark(`${plan.id} sent`);
    return { plan, ended, had };
  }

  function killedTurn(
    { line }: Conversation,
    plan: TurnPlan,
    facts: { had: { answer: boolean }; killedAt: number; place: Conversation["turns"][number]["place"] },
  ): Conversation["turns"][number] {
    const before = (mark: string): boolean => (progress.at(`${plan.id} ${mark}`) ?? Infinity) <= facts.killedAt;
    return {
      plan,
      place: facts.place,
      killedAt: facts.killedAt,
      answered: facts.had.answer,
      sent: line.requests().some(({ raw }) => raw.includes(plan.message)),
      calls: plan.rounds.flatMap((calls, at) =>
        before(`piece ${at + 1}.1`) ? calls.map((call) => ({ plan: call, asked: before(`streamed ${at + 1}`) })) : [],
      ),
    };
  }

  try {
    for (const episode of episodes) {
      const conversations = await Promise.all(
        episode.sessions.map(async (plan) => makeConversation(plan, await front.open(plan.tag))),
      );
      const seeds: Seed[] = conversations.map(({ chat, plan }) => ({ chat, transcript: makeTranscript(plan) }));
      for (const at of episode.kills.keys()) {
        await start(at === 0 ? seeds : []);
        if (at === 0) await finish();
        open ??= { episode, conversations, checks: new Map(conversations.map((one) => [one, []])) };
        if (at > 0)
          await check(
            open,
            conversations.filter(({ plan }) => plan.askFirst),
          );
        await killTurns(open, at);
      }
    }
    await start([]);
    await finish();
  } finally {
    stop();
  }
}
