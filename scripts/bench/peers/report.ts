import { markdownTable } from "../../fuzz/table.ts";
import { ms } from "../report.ts";
import { SIZES, type PeerCost } from "./measure.ts";
import { describeMaking } from "../../measured/making.ts";

/** What each does with a broken history, as rows of a table, its head first. */
export function peerDeedRows(costs: readonly PeerCost[]): string[][] {
  return [
    [
      "step",
      "what it does",
      "a result without a call",
      "a call without a result",
      "whole",
      "incomplete",
      "refused",
      "throws",
      "accepted ones changed",
    ],
    ...costs.map(({ name, does, measured }) => {
      if (measured === undefined) return [name, does, ...Array<string>(7).fill("not installed")];
      const { broken, accepted } = measured.deeds;
      const changed = accepted.changed + accepted.lossy + accepted.thrown;
      const counts = [broken.whole, broken.lossy, broken.refused, broken.thrown, changed];
      return [name, does, measured.orphan, measured.unanswered, ...counts.map(String)];
    }),
  ];
}

/** What each costs, as rows of a table, its head first: times of the bare loop and of JSON.stringify. */
export function peerCostRows(costs: readonly PeerCost[]): string[][] {
  return [
    ["step", ...SIZES.map((size) => size.toLocaleString("en-US")), "ms at the longest measured"],
    ...costs.map(({ name, measured }) => [
      name,
      ...(measured?.sizes ?? SIZES.map((messages) => ({ messages }))).map((size) =>
        "cost" in size && size.cost ? `${size.cost.bare.toFixed(1)} / ${size.cost.json.toFixed(2)}` : "–",
      ),
      ms(measured?.sizes.findLast(({ cost }) => cost)?.cost?.ms ?? Number.NaN),
    ]),
  ];
}

/** The report of a whole run. */
export function formatPeersReport(command: string, costs: readonly PeerCost[]): string {
  const sum = (kind: "broken" | "accepted"): number =>
    Object.values(costs[0]?.measured?.deeds[kind] ?? {}).reduce((all, count) => all + count, 0);
  return `# What others do with a history, and for how much

${describeMaking(command)}
scripts/bench/peers/package-lock.json has the versions of the other projects.

## What is done

Each step gets, in its project's own format, two broken histories; the ${sum("broken")} of the corpus, with one more message of the user's
(pictures and thinking left out, which some formats do not have); and ${sum("accepted")} that OpenAI and Anthropic accepted. Whole: the Chat Completions
request (the Responses request of @openai/agents) that is made of what the step gives is one that a strict server takes, with all words that may not be
lost; incomplete: without some of them; refused: by the server. A step that repairs less leaves the rest to others, which are not run here.

${markdownTable(peerDeedRows(costs))}

## What it costs

A healthy history of so many messages, in the project's own format, one process for each step. Times of a loop that looks at
every block's type and its text or name and does nothing else / times of JSON.stringify, both over OpenClaw's messages
and in turn with the step; times of the rounds that nothing disturbed. A dash: one call took more than 20 s by the clock.

Steps that cost less than ours look at less: \`mergeMessageRuns\` at roles only, \`dropOrphanToolCalls\` and OpenClaw 2026.2.3's
\`repairToolUseResultPairing\` at ids only. Ours also judge names, arguments, depth, empty messages and, in the body, each text.

${markdownTable(peerCostRows(costs))}
`;
}
