import { markdownTable } from "../../fuzz/table.ts";
import { kilobytes, said } from "../report.ts";
import { firstWordRows, WORDS_MESSAGES, type FirstWordCost } from "./first-word.ts";
import { realRoundRows, type RealRoundCost } from "./real-rounds.ts";
import { startRows, type GuardLoad, type StartCost } from "./starts.ts";
import { turnRows, type TurnCost } from "./turns.ts";
import { describeMaking } from "../../measured/making.ts";

/** What was aimed at: times of an unpatched turn, and the gates' part of a round of tools. */
const AIMS = { turn: 1.02, share: 0.01 };

/** All that one run measured. */
export interface OpenClawCosts {
  readonly turns: readonly TurnCost[];
  readonly rounds: readonly RealRoundCost[];
  readonly words: readonly FirstWordCost[];
  readonly load: GuardLoad;
  readonly starts: readonly StartCost[];
}

function verdicts({ turns, rounds }: OpenClawCosts): string[] {
  const slowest = Math.max(...turns.map(({ patched }) => patched.ratio));
  const most = Math.max(...rounds.map(({ share }) => share));
  return [
    `under ${AIMS.turn} times an unpatched turn: ${said(slowest < AIMS.turn)} (at most ${slowest.toFixed(3)} times)`,
    `gates under ${AIMS.share * 100} % of a round in a long session: ${said(most < AIMS.share)} (at most ${(most * 100).toFixed(1)} %)`,
  ];
}

/** The report of a whole run. */
export function formatOpenClawReport(command: string, costs: OpenClawCosts): string {
  const { turns, rounds, words, load, starts } = costs;
  return `# What the patch costs OpenClaw

${describeMaking(command)}

${verdicts(costs)
  .map((line) => `- ${line}`)
  .join("\n")}

In parentheses: the interval that holds the true value with 95 % confidence (bootstrap over the pairs). Where processes are
compared, a pair is two processes, not two turns: two unpatched processes of one release differ by up to a tenth for as long
as they live, so that many turns of one pair give a narrow interval around a wrong value. The last column of the first table
compares unpatched processes with each other, by the same method.

## Whole turns

CPU (all threads) of OpenClaw's process for one turn of a healthy session on Anthropic Messages without tools, from the
user's message to the answer stored: medians of a process, then of the processes. The provider answers at once.

${markdownTable(turnRows(turns))}

## Runs of tool rounds

One run of tool rounds in a long session, stock and then patched. CPU from one request to the next, and the time that both
halves of the wire gate took of it by their own events. The first rounds run code that is not compiled yet, in OpenClaw too.

${markdownTable(realRoundRows(rounds))}

## First words

When an answer reaches the client of a real gateway, in a session of ${WORDS_MESSAGES} messages: the unpatched and the patched
gateway answer in turn, ${words[0]?.processes ?? 0} pairs of gateways with ${words[0]?.answers ?? 0} answers each. The median of the unpatched one, and how much more the
patched one takes. OpenClaw 2026.9 itself joins what comes within 75 ms to one update, 2026.2 passes each event on.

${markdownTable(firstWordRows(words))}

## Starts

The guard's file takes ${load.coldMs.toFixed(0)} ms of CPU to load, ${load.cachedMs.toFixed(0)} ms with Node's compile cache, which OpenClaw turns on, and ${kilobytes(load.heapBytes)} of
the heap. Whole processes, the unpatched and the patched one in turn; memory is the most that one held.

${markdownTable(startRows(starts))}
`;
}
