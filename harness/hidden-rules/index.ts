/** Providers with a rule that nobody knows: the same provider, and the same conversation, for the same seed. */
import { makeCase } from "../played/rows.ts";
import { marksIn, makeTurns, type PlayedCase } from "../played/case.ts";
import type { ModelApi } from "../openclaw/types.ts";
import type { Front } from "../providers/index.ts";
import { randomHistory } from "./conversation.ts";
import { makeRandom } from "./random.ts";
import { randomRule } from "./rules.ts";
import { randomWording } from "./wordings.ts";

const APIS: readonly ModelApi[] = [
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
  "anthropic-messages",
  "openai-completions",
  "bedrock-converse-stream",
];

/**
 * A conversation that comes to such a provider and says some messages there; then the rule is gone, and then the
 * conversation goes to another provider, where everything has to be in the request again.
 */
export function randomCase(seed: number): PlayedCase {
  const random = makeRandom(seed);
  const api = random.one(APIS);
  const tag = `r${seed}`;
  const rows = randomHistory(random, api, tag);
  const own = [`heron-${tag}-said1`, `heron-${tag}-said2`];
  const rule = randomRule(random, [...marksIn(rows), ...own], rows.length);
  const wording = randomWording(random);
  const front: Front = ({ body, nth }) => {
    const path = rule.breach(body, nth);
    return path === undefined ? undefined : wording.says(api, path);
  };
  const before = random.oneIn(4) ? [{}] : [];
  const told = { id: `random-${seed}`, title: `${rule.name}: ${wording.name}`, report: "random" };
  return makeCase(
    told,
    rows,
    { api },
    makeTurns(tag, [...before, { front }, { front }, {}, { provider: "elsewhere" }]),
  );
}
