import { cpus } from "node:os";
import { markdownTable } from "../fuzz/table.ts";
import { firstWordRows, WORDS_MESSAGES, type FirstWordCost } from "./first-word.ts";
import type { Measured } from "./measure.ts";
import type { Task } from "./process.ts";
import { realRoundRows, type RealRoundCost } from "./real-rounds.ts";
import type { RoundCost } from "./rounds.ts";
import type { GuardLoad, VersionCost } from "./start-up.ts";
import type { StreamCost } from "./streams.ts";
import type { TurnCost } from "./turns.ts";

/** What was aimed at: times of the bare loop and of JSON.stringify, ms at 1,000 messages, times of an unpatched turn. */
const AIMS = { ratio: 8, json: 1, ms: 5, turn: 1.02 };

/** Milliseconds with as many digits as are worth reading. */
export function ms(value: number): string {
  return value < 0.01 ? value.toFixed(5) : value.toFixed(3);
}

function kilobytes(bytes: number): string {
  return Number.isNaN(bytes) ? "–" : `${(bytes / 1024).toFixed(1)} kB`;
}

/** The calls as rows of a table, its head first. */
export function callRows(all: readonly { task: Task; measured: Measured[] }[]): string[][] {
  return [
    ["API", "call", "messages", "ms per call", "bare loop, ms", "times", "times JSON.stringify", "heap per call"],
    ...all.flatMap(({ task, measured }) =>
      measured.map((one) => [
        task === "history" ? "any" : task,
        one.name,
        one.messages.toLocaleString("en-US"),
        ms(one.ms),
        ms(one.bareMs),
        one.ratio.toFixed(1),
        one.jsonRatio.toFixed(2),
        kilobytes(one.bytes),
      ]),
    ),
  ];
}

/** The turns as rows of a table, its head first. */
export function turnRows(costs: readonly TurnCost[]): string[][] {
  return [
    ["release", "messages", "turns", "stock, ms CPU", "patched, ms CPU", "times", "95 % interval"],
    ...costs.map(({ release, messages, rounds, stockMs, patchedMs, ratio, interval }) => [
      release,
      messages.toLocaleString("en-US"),
      `${rounds} and ${rounds}`,
      stockMs.toFixed(1),
      patchedMs.toFixed(1),
      ratio.toFixed(3),
      `${interval[0].toFixed(3)}–${interval[1].toFixed(3)}`,
    ]),
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

/** What starting costs, as rows of a table, its head first. */
export function versionRows(costs: readonly VersionCost[]): string[][] {
  return [
    ["release", "starts", "stock, ms CPU", "patched, ms CPU", "times", "95 % interval"],
    ...costs.map(({ release, rounds, stockMs, patchedMs, ratio, interval }) => [
      release,
      `${rounds} and ${rounds}`,
      stockMs.toFixed(0),
      patchedMs.toFixed(0),
      ratio.toFixed(3),
      `${interval[0].toFixed(3)}–${interval[1].toFixed(3)}`,
    ]),
  ];
}

/** Whether an aim was reached, in words. */
export function said(reached: boolean): string {
  return reached ? "reached" : "not reached";
}

/** Whether each aim was reached, in words. */
export function verdicts(all: readonly { measured: Measured[] }[], turns: readonly TurnCost[]): string[] {
  const calls = all.flatMap(({ measured }) => measured);
  const worst = calls.reduce((most, one) => Math.max(most, one.ratio), 0);
  const json = calls.reduce((most, one) => Math.max(most, one.jsonRatio), 0);
  const least = calls.reduce((most, one) => Math.min(most, one.ratio), Infinity);
  const thousand = calls
    .filter(({ messages }) => messages > 900 && messages <= 1000)
    .reduce((most, one) => Math.max(most, one.ms), 0);
  const lines = [
    `under ${AIMS.ms} ms at 1,000 messages: ${said(thousand < AIMS.ms)} (at most ${thousand.toFixed(2)} ms)`,
    `under ${AIMS.ratio} times a bare loop: ${said(worst < AIMS.ratio)} (${least.toFixed(1)} to ${worst.toFixed(1)} times)`,
    `at most as much as JSON.stringify of the same list: ${said(json <= AIMS.json)} (at most ${json.toFixed(2)} times)`,
  ];
  if (turns.length === 0) return lines;
  const slowest = turns.reduce((most, { ratio }) => Math.max(most, ratio), 0);
  return [
    ...lines,
    `under ${AIMS.turn} times an unpatched turn: ${said(slowest < AIMS.turn)} (at most ${slowest.toFixed(3)} times)`,
  ];
}

/** All that one run measured. */
export interface GuardCosts {
  readonly all: readonly { task: Task; measured: Measured[] }[];
  readonly rounds: readonly RoundCost[];
  readonly realRounds: readonly RealRoundCost[];
  readonly streams: readonly StreamCost[];
  readonly turns: readonly TurnCost[];
  readonly words: readonly FirstWordCost[];
  readonly starts: { readonly load: GuardLoad; readonly versions: readonly VersionCost[] };
}

/** The report of a whole run. */
export function reportOf(command: string, costs: GuardCosts): string {
  const { all, rounds, realRounds, streams, turns, words, starts } = costs;
  const date = new Date().toISOString().slice(0, 10);
  return `# What the guard costs

${date}, \`${command}\`, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim() || "unknown CPU"}.

${verdicts(all, turns)
  .map((line) => `- ${line}`)
  .join("\n")}

## Healthy histories

Each call on a healthy history, against a loop that looks at every block's type and its text or name and does nothing else, and
against JSON.stringify of the same list, turn and turn about in one process; times of the rounds that nothing disturbed. One process
per API.

${markdownTable(callRows(all))}

## Runs of 200 tool rounds

What the wire gate costs in one model call, before the adapter (messages) and behind it (body), on Anthropic Messages. Messages that
were judged are judged again only where OpenClaw has copied them; the body is new at each call and judged whole. The last column is
of rounds 151 to 200.

${markdownTable(roundRows(rounds))}

The same in the real OpenClaw: one run of tool rounds in a long session, stock and then patched. CPU from one request to the next,
and the time that both halves of the wire gate took of it by their own events.

${markdownTable(realRoundRows(realRounds))}

## Streams

An answer that nothing is wrong with, read directly and through the recovery ladder, in turn in one process; medians. A provider sends
its events milliseconds apart.

${markdownTable(streamRows(streams))}

## First words

When an answer reaches the client of a real gateway, in a session of ${WORDS_MESSAGES} messages: the unpatched and the patched
gateway answer in turn. The median of the unpatched one, how much more the patched one takes (median of the pairs), and
the interval that holds the true difference with 95 % confidence. OpenClaw 2026.9 itself joins what comes within 75 ms to one
update, 2026.2 passes each event on.

${markdownTable(firstWordRows(words))}

## Whole turns

CPU (all threads) of OpenClaw's process for one turn of a healthy session on Anthropic Messages, from the user's message to the
answer stored, the unpatched and the patched one in turn; medians, the median ratio of neighbouring turns, and the interval that
holds the true ratio with 95 % confidence (bootstrap over the pairs).

${markdownTable(turnRows(turns))}

## Start-up

The guard's file takes ${starts.load.coldMs.toFixed(0)} ms of CPU to load, ${starts.load.cachedMs.toFixed(0)} ms with Node's
compile cache, which OpenClaw turns on, and ${kilobytes(starts.load.heapBytes)} of the heap. \`openclaw --version\`, the
unpatched and the patched one in turn:

${markdownTable(versionRows(starts.versions))}
`;
}
