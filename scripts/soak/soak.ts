import { setTimeout as sleep } from "node:timers/promises";
import { makeRandom } from "../../harness/random.ts";
import { makeAction, type Action, type MessagePlan } from "./actions.ts";
import { play } from "./actor.ts";
import { findFaults, type Fault } from "./judge.ts";
import type { Side } from "./side.ts";

/** How a side is soaked. */
export interface Soaking {
  seed: string;
  conversations: number;
  /** No action begins behind it. */
  ms: number;
  /** How many actions each conversation has at most; as many as there is time for by default. */
  actions?: number;
  kills: boolean;
}

const TO_THE_FIRST_MODEL: MessagePlan = { name: "m900000", rounds: [] };
const LAST_MESSAGES: readonly MessagePlan[] = [
  { name: "m900001", rounds: [] },
  { name: "m900002", rounds: [] },
];
// OpenClaw goes on with an interrupted turn by itself some 14 s behind its start; where nothing is killed, much sooner.
const QUIET_MS = { killed: 15_000, alive: 5_000 };
const WAITING_MOST = 8;
const TAKEN_MS = 60_000;
const TAKEN_POLL_MS = 500;

/** The conversations of a soak by name, each with its own actions. */
export function listConversations({ conversations }: Soaking): string[] {
  return Array.from({ length: conversations }, (_, at) => `c${at + 1}`);
}

/** Plays random actions in all conversations at once until the time is over, then asks each of them twice more. */
export async function soak(side: Side, soaking: Soaking): Promise<Fault[]> {
  const end = performance.now() + soaking.ms;
  const names = listConversations(soaking);
  const { actions = Infinity } = soaking;
  await Promise.all(
    names.map(async (name, at) => {
      const pauses = makeRandom(`${soaking.seed}/${at}/pauses`);
      for (let n = 0; n < actions && performance.now() < end; n++) {
        await play(side, name, actionNumber(soaking, at, n, side));
        await sleep(pauses.between(0, 1500));
        await whenTaken(side, name);
      }
    }),
  );
  return settle(side, names, soaking.kills);
}

/** Waits, a minute at most, while so many messages wait: OpenClaw drops what a queue of 20 has no room for. */
async function whenTaken(side: Side, conversation: string): Promise<void> {
  for (let waited = 0; waited < TAKEN_MS; waited += TAKEN_POLL_MS) {
    const last = side.said.filter((one) => one.conversation === conversation).slice(-WAITING_MOST);
    if (
      last.length < WAITING_MOST ||
      last.some((one) => one.stopped || side.model.hasSeen(conversation, one.message.name))
    )
      return;
    await sleep(TAKEN_POLL_MS);
  }
}

/** The n-th action of the conversation with this place. */
export function actionNumber({ seed, kills }: Soaking, conversation: number, n: number, { able }: Side): Action {
  return makeAction(seed, { conversation, n, kills: kills && conversation === 0 }, able);
}

/** Plays these actions and no other in a conversation, and says what must not be of it. */
export async function replay(side: Side, conversation: string, actions: readonly Action[]): Promise<Fault[]> {
  for (const action of actions) await play(side, conversation, action);
  const faults = await settle(side, [conversation], true);
  return faults.filter((fault) => fault.conversation === conversation || fault.conversation === "");
}

/** Lets everything come to its end, asks each conversation twice with nothing in the way, and judges. */
async function settle(side: Side, names: readonly string[], isKilled: boolean): Promise<Fault[]> {
  await side.whenUp();
  await side.whenQuiet(isKilled ? QUIET_MS.killed : QUIET_MS.alive);
  await Promise.all(
    names.map(async (name) => {
      side.model.block(name, 0);
      await play(side, name, {
        n: Infinity,
        message: TO_THE_FIRST_MODEL,
        beside: { deed: { do: "switch", to: null } },
      });
      for (const message of LAST_MESSAGES) await play(side, name, { n: Infinity, message });
    }),
  );
  await side.whenQuiet(3_000);
  for (const name of names) await side.look(name);
  return findFaults(side.seen());
}
