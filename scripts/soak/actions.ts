import { makeRandom, type Random } from "../../harness/random.ts";
import type { FaultName } from "../../harness/providers/index.ts";

/** How a message is put beside a run that is going on; 2026.2.3 has no such choice. */
export type QueueMode = "steer" | "followup" | "collect" | "interrupt";

/** What goes wrong instead of one answer of the model. */
export type SoakFault = FaultName | "http-503" | "html-502" | "malformed" | "unknown-400";

/** One answer with calls of a tool, each of which takes so many milliseconds. */
export interface Round {
  tools: readonly number[];
  /** How many bytes more each of them prints. */
  bytes?: number;
  thinking: boolean;
  text: boolean;
  /** Comes once, before this answer. */
  fault?: SoakFault;
}

/** A message of a person, and what the model does before it answers it. */
export interface MessagePlan {
  /** `m` and a number, unique in its conversation. */
  name: string;
  rounds: readonly Round[];
  mode?: QueueMode;
  /** Whether the first thing the model does is to start a sub-agent. */
  spawns?: boolean;
  /** Whether a picture comes with it. */
  picture?: boolean;
}

/** What is done besides sending a message. */
export type Deed =
  | { do: "message"; message: MessagePlan }
  | { do: "stop"; by: "command" | "request" }
  | { do: "switch"; to: number | null }
  | { do: "compact"; by: "command" | "request" }
  | { do: "proxy"; requests: number }
  /** An operator takes the last message back. */
  | { do: "rewind" }
  | { do: "kill" }
  | { do: "restart" }
  | { do: "full disk"; ms: number };

/** A moment of a message's run, by what happens in it: a machine that is busy gets there later. */
export interface Moment {
  /** So many requests with the message have come, or its run is over. */
  requests: number;
  /** So many milliseconds behind that. */
  ms: number;
}

/** A message, and what is done beside it. */
export interface Action {
  n: number;
  message: MessagePlan;
  /** Before the message where no moment is said. */
  beside?: { at?: Moment; deed: Deed };
}

/** What a release can be asked for. */
export interface Abilities {
  /** Whether a message can say how it is queued. */
  modes: boolean;
  /** Whether a provider that falls silent is given up within half a minute. */
  givesUp: boolean;
  /** How many models there are. */
  models: number;
}

/** How the gateway ends; twice as often without a warning. */
const ENDS: readonly Deed[] = [{ do: "kill" }, { do: "kill" }, { do: "restart" }];
const MODES: readonly QueueMode[] = ["steer", "followup", "collect", "interrupt"];
const FAULTS: readonly SoakFault[] = [
  "drop-in-tool",
  "drop-after-tool",
  "end-in-tool",
  "overloaded-mid-stream",
  "http-429",
  "http-500",
  "http-529",
  "refusal-with-text",
  "refusal-with-tool",
  "content-filter-400",
  "content-filter-in-text",
  "http-503",
  "html-502",
  "malformed",
  "unknown-400",
];
const SILENT_FAULTS: readonly SoakFault[] = [...FAULTS, "hang-in-tool"];

/**
 * The n-th action of a conversation: the same for the same seed, however far other conversations have come and whoever
 * plays it. Only the first conversation ends the gateway or fills the disk, which all share.
 */
export function makeAction(
  seed: string,
  { conversation, n, kills = false }: { conversation: number; n: number; kills?: boolean },
  able: Abilities,
): Action {
  const random = makeRandom(`${seed}/${conversation}/${n}`);
  const message = withPicture(makeMessage(random, `m${2 * n + 1}`, able), random);
  const kind = random.real();
  const requests = random.between(0, message.rounds.length + 1);
  const beside = { at: { requests, ms: random.chance(0.5) ? random.between(0, 300) : random.between(0, 2500) } };
  const sometimes = random.chance(0.5) ? beside : {};
  const by = random.pick(["command", "request"] as const);
  if (kills && random.chance(0.12))
    return {
      n,
      message,
      beside: { ...beside, deed: random.pick<Deed>([...ENDS, { do: "full disk", ms: random.between(2, 60) * 1000 }]) },
    };
  if (kind < 0.26) return { n, message };
  if (kind < 0.54) {
    const second = makeMessage(random, `m${2 * n + 2}`, able);
    const queued = able.modes ? { ...second, mode: random.pick(MODES) } : second;
    return { n, message, beside: { ...beside, deed: { do: "message", message: queued } } };
  }
  if (kind < 0.65) return { n, message, beside: { ...beside, deed: { do: "stop", by } } };
  if (kind < 0.67) return { n, message, beside: { deed: { do: "rewind" } } };
  if (kind < 0.7) {
    const deed: Deed = { do: "proxy", requests: random.between(1, 6) };
    return { n, message, beside: { ...sometimes, deed } };
  }
  if (kind < 0.84) {
    const to = random.chance(0.2) ? null : random.between(0, able.models - 1);
    return { n, message, beside: { ...sometimes, deed: { do: "switch", to } } };
  }
  if (kind < 0.94) return { n, message, beside: { ...sometimes, deed: { do: "compact", by } } };
  return { n, message: { ...message, spawns: true } };
}

function withPicture(message: MessagePlan, random: Random): MessagePlan {
  return random.chance(0.15) ? { ...message, picture: true } : message;
}

/** The messages of an action, in the order in which they are sent. */
export function listMessages({ message, beside }: Action): MessagePlan[] {
  return beside?.deed.do === "message" ? [message, beside.deed.message] : [message];
}

function makeMessage(random: Random, name: string, { givesUp }: Abilities): MessagePlan {
  const rounds = Array.from({ length: random.between(0, 3) }, () => makeRound(random));
  const fault = random.pick(givesUp ? SILENT_FAULTS : FAULTS);
  const at = random.between(0, Math.max(0, rounds.length - 1));
  if (!random.chance(0.3)) return { name, rounds };
  return { name, rounds: rounds.map((round, i) => (i === at ? { ...round, fault } : round)) };
}

function makeRound(random: Random): Round {
  const tools = Array.from({ length: random.between(1, 3) }, () => (random.chance(0.6) ? 0 : random.between(1, 2000)));
  const round = { tools, thinking: random.chance(0.5), text: random.chance(0.4) };
  return random.chance(0.3) ? { ...round, bytes: random.between(1000, 12_000) } : round;
}
