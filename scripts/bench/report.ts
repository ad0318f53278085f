import { markdownTable } from "../fuzz/table.ts";
import type { Measured } from "./measure.ts";
import type { Task } from "./process.ts";
import type { RoundCost } from "./rounds.ts";
import type { StreamCost } from "./streams.ts";
import { describeMaking } from "../measured/making.ts";

/** What was aimed at: times of the bare loop and of JSON.stringify, ms at 1,000 messages. */
const AIMS = { ratio: 8, json: 1, ms: 5 };

/** Milliseconds with as many digits as are worth reading. */
export function ms(value: number): string {
  return value < 0.01 ? value.toFixed(5) : value.toFixed(3);
}

/** Bytes in kB; a dash for none. */
export function kilobytes(bytes: number): string {
  return Number.isNaN(bytes) ? "–" : `${(bytes / 1024).toFixed(1)} kB`;
}

/** The calls as rows of a table, its head first. */
export function callRows(all: readonly { task: Task; measured: Measured[] }[]): string[][] {
  return [
    [
      "API",
      "call",
      "messages",
      "ms per call",
      "µs per message",
      "bare loop, ms",
      "times",
      "times JSON.stringify",
      "heap per call",
    ],
    ...all.flatMap(({ task, measured }) =>
      measured.map((one) => [
        task === "history" ? "any" : task,
        one.name,
        one.messages.toLocaleString("en-US"),
        ms(one.ms),
        ((one.ms / one.messages) * 1000).toFixed(3),
        ms(one.bareMs),
        one.ratio.toFixed(1),
        one.jsonRatio.toFixed(2),
        kilobytes(one.bytes),
      ]),
    ),
  ];
}

/** The streams as rows of a table, its head first. */
export function streamRows(costs: readonly StreamCost[]): string[][] {
  return [
    ["events of an answer", "read, ms", "read through the ladder, ms", "times", "µs more per event"],
    ...costs.map(({ events, bareMs, guardedMs, ratio }) => [
      events.toLocaleString("en-US"),
      ms(bareMs),
      ms(guardedMs),
      ratio.toFixed(2),
      (((guardedMs - bareMs) / events) * 1000).toFixed(2),
    ]),
  ];
}

/** The rounds as rows of a table, its head first. */
export function roundRows(costs: readonly RoundCost[]): string[][] {
  return [
    [
      "messages that OpenClaw copies",
      "history",
      "messages and body, rounds 1–50, ms",
      "rounds 151–200, ms",
      "times JSON.stringify of the body",
    ],
    ...costs.map(({ copies, messages, first, last, jsonRatio }) => [
      copies,
      messages.toLocaleString("en-US"),
      `${ms(first[0])} and ${ms(first[1])}`,
      `${ms(last[0])} and ${ms(last[1])}`,
      jsonRatio.toFixed(2),
    ]),
  ];
}

/** Whether an aim was reached, in words. */
export function said(reached: boolean): string {
  return reached ? "reached" : "not reached";
}

/** Whether each aim was reached, in words. */
export function verdicts(all: readonly { measured: Measured[] }[]): string[] {
  const calls = all.flatMap(({ measured }) => measured);
  const worst = calls.reduce((most, one) => Math.max(most, one.ratio), 0);
  const json = calls.reduce((most, one) => Math.max(most, one.jsonRatio), 0);
  const least = calls.reduce((most, one) => Math.min(most, one.ratio), Infinity);
  const thousand = calls
    .filter(({ messages }) => messages > 900 && messages <= 1000)
    .reduce((most, one) => Math.max(most, one.ms), 0);
  return [
    `under ${AIMS.ms} ms at 1,000 messages: ${said(thousand < AIMS.ms)} (at most ${thousand.toFixed(2)} ms)`,
    `under ${AIMS.ratio} times a bare loop: ${said(worst < AIMS.ratio)} (${least.toFixed(1)} to ${worst.toFixed(1)} times)`,
    `at most as much as JSON.stringify of the same list: ${said(json <= AIMS.json)} (at most ${json.toFixed(2)} times)`,
  ];
}

/** All that one run measured. */
export interface GuardCosts {
  readonly all: readonly { task: Task; measured: Measured[] }[];
  readonly rounds: readonly RoundCost[];
  readonly streams: readonly StreamCost[];
}

/** The report of a whole run. */
export function formatReport(command: string, costs: GuardCosts): string {
  const { all, rounds, streams } = costs;
  return `# What the guard costs

${describeMaking(command)}

${verdicts(all)
  .map((line) => `- ${line}`)
  .join("\n")}

## Healthy histories

Each call on a healthy history, against a loop that looks at every block's type and its text or name and does nothing else, and
against JSON.stringify of the same list, turn and turn about in one process; times of the rounds that nothing disturbed. One process
per API.

${markdownTable(callRows(all))}

## Runs of 200 tool rounds

What the wire gate costs in one model call, before the adapter (messages) and behind it (body), on Anthropic Messages. Both are
judged whole at each call; messages that OpenClaw has just copied are in no cache of the processor. The last column is of rounds
151 to 200.

${markdownTable(roundRows(rounds))}

## Streams

An answer that nothing is wrong with, read directly and through the recovery ladder, in turn in one process; medians. A provider sends
its events milliseconds apart.

${markdownTable(streamRows(streams))}
`;
}
