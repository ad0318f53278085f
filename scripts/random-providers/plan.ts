import { makeRandom } from "../../harness/random.ts";
import { APIS, type Api } from "../../harness/providers/index.ts";
import { makeMark, randomConversation, type Conversation } from "../../harness/providers/random/conversation.ts";
import { randomRule, type HiddenRule } from "../../harness/providers/random/rules.ts";
import { randomWording, type Wording } from "../../harness/providers/random/wording.ts";

/** What plays a provider: an OpenClaw of a release, patched, or the library's guardCall. */
export type Way = "2026.2.3" | "2026.9.6" | "library";

export const WAYS: readonly Way[] = ["2026.2.3", "2026.9.6", "library"];

/**
 * Where a turn stands: before the rule is in force, while it is, at the same endpoint when it is no longer in force, or
 * at an endpoint that takes everything and never had it.
 */
export type Phase = "warm" | "refused" | "lifted" | "back";

/** One random provider and the conversation that it gets. */
export interface Plan {
  seed: string;
  nth: number;
  way: Way;
  api: Api;
  /** Whether the model thinks. */
  thinking: boolean;
  conversation: Conversation;
  rule: HiddenRule;
  wording: Wording;
  /** True where another model's endpoint has the rule than the one that was asked before. */
  isSwitched: boolean;
  /** The other model. */
  otherModel: string;
  /** A turn that the old endpoint answers before the rule is in force. */
  isWarm: boolean;
  /** Turns while the rule is in force. */
  refusedTurns: number;
  /** The process is killed behind this one of them; -1 for never. */
  killAfter: number;
  /** Turns at an endpoint afterwards that takes everything. */
  backTurns: number;
}

/** The ways of a hundred providers: starting the latest release costs most, so that it gets fewer. */
function chooseWay(nth: number, ways: readonly Way[]): Way {
  const share: readonly Way[] = ["2026.2.3", "2026.9.6", "2026.2.3", "library", "2026.2.3", "2026.9.6", "2026.2.3"];
  const wanted = share[nth % share.length]!;
  return ways.includes(wanted) ? wanted : ways[nth % ways.length]!;
}

/** Provider and model that OpenClaw asks by default, and another model of the same API. */
const MODELS: Record<Api, readonly [provider: string, model: string, other: string]> = {
  "anthropic-messages": ["anthropic", "claude-opus-4-5", "claude-opus-4-6"],
  "openai-completions": ["compatible", "gpt-4.1", "gpt-4.1-mini"],
  "openai-responses": ["openai", "gpt-5.2", "gpt-5.1"],
  "google-generative-ai": ["google", "gemini-2.5-pro", "gemini-2.5-flash"],
  "bedrock-converse-stream": [
    "amazon-bedrock",
    "us.anthropic.claude-opus-4-5-20251101-v1:0",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  ],
};

const APIS_OF: Record<Way, readonly Api[]> = {
  "2026.2.3": APIS,
  // The driver's installation of the latest release has no Bedrock.
  "2026.9.6": APIS.filter((api) => api !== "bedrock-converse-stream"),
  library: ["anthropic-messages", "openai-completions"],
};

/** The mark of what a person says in turn `turn`; those of the conversation have smaller numbers. */
export function saidMark({ seed, nth }: Pick<Plan, "seed" | "nth">, turn: number): string {
  return makeMark(`${seed}:${nth}`, 9000 + turn);
}

/** What a person says, with a marked word. */
export function makeMessage(mark: string): string {
  return `Now tell me of ${mark}, please.`;
}

/** The phase of each turn of a plan. */
export function listPhases({ isWarm, isSwitched, refusedTurns, backTurns }: Plan): Phase[] {
  return [
    ...(isWarm ? (["warm"] as const) : []),
    ...Array.from({ length: refusedTurns }, () => "refused" as const),
    ...(isSwitched ? [] : (["lifted"] as const)),
    ...Array.from({ length: backTurns }, () => "back" as const),
  ];
}

/** The model that is asked in a phase, where it is not the first one. */
export function modelIn({ isSwitched, otherModel }: Plan, phase: Phase): string | undefined {
  return phase === (isSwitched ? "refused" : "back") ? otherModel : undefined;
}

/** The provider number `nth` of a seed; always the same one. */
export function makePlan(seed: string, nth: number, way: Way): Plan {
  const name = `${seed}:${nth}`;
  const random = makeRandom(name);
  const api = random.pick(APIS_OF[way]);
  const [provider, model, other] = MODELS[api];
  const thinking = way !== "library" && api === "anthropic-messages" && random.chance(0.5);
  const isSwitched = random.chance(0.5);
  const isOwn = random.chance(0.7);
  const written = isOwn ? { provider, model } : { provider: "test", model: "m" };
  const conversation = randomConversation(random, name, { api, thinks: thinking && isOwn, ...written });
  const isWarm = isSwitched || random.chance(0.5);
  const refusedTurns = random.between(2, 5);
  const firstSaid = isWarm ? 1 : 0;
  const toSay = Array.from({ length: refusedTurns }, (_, turn) => saidMark({ seed, nth }, firstSaid + turn));
  return {
    seed,
    nth,
    way,
    api,
    thinking,
    conversation,
    rule: randomRule({ random, api, conversation, toSay }),
    wording: randomWording(random, api),
    isSwitched,
    otherModel: other,
    isWarm,
    refusedTurns,
    killAfter: random.chance(way === "2026.9.6" ? 0.03 : 0.08) ? random.between(0, refusedTurns - 1) : -1,
    backTurns: random.between(1, 2),
  };
}

/** The plans from `from` on, each with its way; `only` leaves one of them. */
export function makePlans(seed: string, count: number, ways: readonly Way[], only?: readonly number[]): Plan[] {
  const numbers = only ?? Array.from({ length: count }, (_, nth) => nth);
  return numbers.map((nth) => makePlan(seed, nth, chooseWay(nth, ways)));
}

/** What a plan is, in one line. */
export function describePlan({ way, api, rule, wording, isSwitched, isWarm, killAfter, conversation }: Plan): string {
  const { status, kind, envelope, place } = wording;
  return [
    way,
    api,
    `${rule.kind}`,
    `${status} ${kind}${kind === "empty" || kind === "page" ? "" : ` ${envelope}, place ${place}`}`,
    isSwitched ? "another model" : isWarm ? "the same endpoint, answered before" : "the same endpoint",
    ...(killAfter >= 0 ? ["killed"] : []),
    `${conversation.messages.length} messages`,
  ].join(", ");
}
