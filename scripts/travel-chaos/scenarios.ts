import { type StoredMessage, entryId, toTranscript } from "../../harness/openclaw/index.ts";
import { SAID, toolSession } from "../../harness/openclaw/live.ts";

/** Where the agent goes back to, and what of the conversation then stays and what is left. */
export interface Scenario {
  readonly name: string;
  /** What the agent calls it; the seed makes the ids of a conversation its own. */
  readonly target: (seed: string) => string;
  /** Position of the target in the history; undefined is before the first message. */
  readonly position: number | undefined;
  readonly kept: readonly string[];
}

/**
 * Every place of the conversation in a kind of its own: behind a batch of calls, at the end of the turn before (the
 * user's question is all that lies behind it), before everything.
 */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "behind a batch",
    target: (seed) => entryId(seed, 3),
    position: 3,
    kept: ["remember the heron", "alpha content", "beta content"],
  },
  { name: "before the question", target: () => "turn:-1", position: 6, kept: SAID },
  { name: "before everything", target: () => "root", position: undefined, kept: [] },
];

/** What of the history is said behind the target. */
export function leftBy({ kept }: Scenario): string[] {
  return SAID.filter((text) => !kept.includes(text));
}

/** The history of a conversation whose entries have ids that no other one has. */
export function writeHistory(seed: string): string {
  const rows = toolSession("anthropic-messages").transcript.trimEnd().split("\n").slice(1);
  const messages = rows.map((row) => (JSON.parse(row) as { message: StoredMessage }).message);
  return toTranscript(messages, { seed });
}
