import { markdownTable } from "../../fuzz/table.ts";
import { median } from "../measure.ts";
import { said } from "../report.ts";
import type { Compared, Samples } from "./measure.ts";
import { describeMaking } from "../../measured/making.ts";

/** All that one run measured. */
export interface RegisterCosts {
  readonly other: Compared;
  readonly starts: readonly Compared[];
  readonly turns: readonly Compared[];
}

/** What was aimed at for a process that is not OpenClaw, in ms of CPU. */
const AIM_MS = 5;

/** Of neighbouring rounds: the median, and the middle half. */
function spread(values: readonly number[]): { readonly middle: number; readonly half: readonly [number, number] } {
  const sorted = values.toSorted((a, b) => a - b);
  const quarter = Math.floor(sorted.length / 4);
  return { middle: median(sorted), half: [sorted[quarter]!, sorted.at(-1 - quarter)!] };
}

function pairs(one: Samples, baseline: Samples, work: (one: number, baseline: number) => number): number[] {
  return one.cpuMs.map((value, round) => work(value, baseline.cpuMs[round]!));
}

function formatRange([low, high]: readonly [number, number], places: number): string {
  return `${low.toFixed(places)} to ${high.toFixed(places)}`;
}

/** Each way against the first as rows of a table, its head first. */
export function registerRows(first: string, compared: readonly Compared[], digits: number): string[][] {
  return [
    [first, "way", "rounds", "ms CPU", "more, ms", "middle half", "times", "middle half"],
    ...compared.flatMap(({ title, samples }) =>
      samples.map((one, at) => {
        const row = [title, one.name, String(one.cpuMs.length), median(one.cpuMs).toFixed(digits)];
        if (at === 0) return [...row, "", "", "", ""];
        const more = spread(pairs(one, samples[0]!, (value, baseline) => value - baseline));
        const times = spread(pairs(one, samples[0]!, (value, baseline) => value / baseline));
        return [
          ...row,
          more.middle.toFixed(digits),
          formatRange(more.half, digits),
          times.middle.toFixed(3),
          formatRange(times.half, 3),
        ];
      }),
    ),
  ];
}

/** Whether the aim was reached, in words. */
export function registerVerdict({ other: { samples } }: RegisterCosts): string {
  const { middle } = spread(pairs(samples.at(-1)!, samples[0]!, (value, baseline) => value - baseline));
  return `under ${AIM_MS} ms for a process that is not OpenClaw: ${said(middle < AIM_MS)} (${middle.toFixed(1)} ms)`;
}

/** The report of a whole run. */
export function formatRegisterReport(command: string, costs: RegisterCosts): string {
  return `# What the hook costs

${describeMaking(command)}

- ${registerVerdict(costs)}

CPU time, user and system, of all threads of the measured process. The ways run in turn, each round in another order.
"more" and "times" are medians over the rounds, each against the first way in the same round, with the middle half of
the rounds; "ms CPU" is the median of a way by itself.

## A process that is not OpenClaw

\`node -e\` with a script that prints the CPU time that its process has used; an empty module shows what the option
costs by itself.

${markdownTable(registerRows("process", [costs.other], 1))}

## The start of a gateway

From the start of its process until it takes a client, on a state directory that it was started on before, with Node's
compile cache filled. With an empty cache the hook works the patch out.

${markdownTable(registerRows("OpenClaw", costs.starts, 0))}

## Whole turns

One turn of a healthy session of about 200 messages on Anthropic Messages, from the user's message to the answer stored.

${markdownTable(registerRows("OpenClaw", costs.turns, 1))}
`;
}
