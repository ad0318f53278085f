import { markdownTable } from "../../fuzz/table.ts";
import type { JournalCost } from "./journal.ts";
import { DISK, type OperationCost } from "./integrity.ts";
import type { JournalTurnCost } from "./turns.ts";
import { ratioWords } from "../measure.ts";
import { ms, said } from "../report.ts";
import { describeMaking } from "../../measured/making.ts";

/** What was aimed at: times of the bare statements. The targets of SessionIntegrity stand with its measurement. */
export const AIM = 1.3;

/** What the journal costs. */
export interface JournalCosts {
  steps: readonly JournalCost[];
  operations: readonly OperationCost[];
  turns: readonly JournalTurnCost[];
}

function span([low, high]: [number, number], digits: number): string {
  return `${low.toFixed(digits)}–${high.toFixed(digits)}`;
}

/** The steps of the journal as rows of a table, its head first. */
export function journalRows(steps: readonly JournalCost[]): string[][] {
  return [
    ["step", "ms", "bare statements, ms", "times", "middle half of the pairs", "slowest in a hundred, ms"],
    ...steps.map(({ name, ms: own, bareMs, ratio, spread, p99Ms }) => [
      name,
      ms(own),
      ms(bareMs),
      ratio.toFixed(2),
      span(spread, 2),
      p99Ms.toFixed(2),
    ]),
  ];
}

/** The operations of SessionIntegrity as rows of a table, its head first. */
export function operationRows(operations: readonly OperationCost[]): string[][] {
  return [
    ["session", "messages", "operation", "ms", "slowest in a hundred, ms", "slowest by CPU time, ms", "target, ms"],
    ...operations.map(({ store, messages, operation, medianMs, p99Ms, p99CpuMs, targetMs }) => [
      store,
      messages.toLocaleString("en-US"),
      operation,
      ms(medianMs),
      p99Ms.toFixed(2),
      p99CpuMs.toFixed(2),
      targetMs === undefined ? "–" : String(targetMs),
    ]),
  ];
}

/** The turns with the journal as rows of a table, its head first. */
export function journalTurnRows(turns: readonly JournalTurnCost[]): string[][] {
  return [
    ["release", "processes", "turns of each", "off, ms", "on, ms", "times"],
    ...turns.map(({ release, processes, rounds, offMs, onMs, on }) => [
      release,
      `${processes} and ${processes}`,
      String(rounds),
      offMs.toFixed(1),
      onMs.toFixed(1),
      ratioWords(on),
    ]),
  ];
}

/** Whether the journal's aims were reached, in words. */
export function journalVerdicts({ steps, operations }: JournalCosts): string[] {
  const own = steps.filter(({ isPlain }) => !isPlain);
  const worst = own.reduce((most, { ratio }) => Math.max(most, ratio), 0);
  return [
    `the journal under ${AIM} times its bare statements: ${said(worst < AIM)} (at most ${worst.toFixed(2)} times)`,
    targetVerdict("the specification's targets by the clock, 99 times in a hundred", operations, ({ p99Ms }) => p99Ms),
    targetVerdict(
      "the specification's targets in CPU time, 99 times in a hundred",
      operations,
      ({ p99CpuMs }) => p99CpuMs,
    ),
    ...diskVerdict(operations),
  ];
}

function targetVerdict(
  name: string,
  operations: readonly OperationCost[],
  pickTime: (operation: OperationCost) => number,
): string {
  const over = operations.filter((one) => one.targetMs !== undefined && pickTime(one) >= one.targetMs);
  const names = over.map(
    (one) =>
      `${one.operation} ${pickTime(one).toFixed(0)} ms at ${one.messages.toLocaleString("en-US")} messages, ${one.store}`,
  );
  return `${name}: ${said(over.length === 0)}${names.length === 0 ? "" : ` (${names.join("; ")})`}`;
}

/** What the same loop's bare writes to the disk took, without which the times by the clock cannot be judged. */
function diskVerdict(operations: readonly OperationCost[]): string[] {
  const disk = operations.filter(({ operation }) => operation === DISK).map(({ p99Ms }) => p99Ms);
  return disk.length === 0
    ? []
    : [
        `one bare fsync of 4 kB in the same loop, 99 times in a hundred: ${Math.min(...disk).toFixed(0)} to ${Math.max(...disk).toFixed(0)} ms`,
      ];
}

/** The report of a whole run. */
export function formatJournalReport(command: string, costs: JournalCosts): string {
  const { steps, operations, turns } = costs;
  return `# What the journal and SessionIntegrity cost

${describeMaking(command)}

${journalVerdicts(costs)
  .map((line) => `- ${line}`)
  .join("\n")}

## The journal

Each step of a tool call's and a checkpoint's life against the same SQL statements, prepared once, with the same PRAGMAs and
transactions on a database of the same schema and nothing around them, turn and turn about in one process; medians, and the median of
the ratios of neighbouring rounds. One step, the start of a call, waits for the disk.

${markdownTable(journalRows(steps))}

## SessionIntegrity

Operations on sessions in memory and in a file, the journal on the disk, ${operations[0]?.times ?? 0} times each; a normal turn is a checkpoint, a
validation, a tool cycle (of a tool that takes no time) and a commit. "The disk alone" stands in the same loop: what waits for the disk
cannot be faster than that.

${markdownTable(operationRows(operations))}
${
  turns.length === 0
    ? ""
    : `
## Whole turns with a tool call

Milliseconds by the clock from a user's message over a call of \`read\` to the answer, in a patched OpenClaw with the guard and its
journal, and with \`OPENCLAW_INTEGRITY=off\`, in turn; medians of a process, then of the processes. In parentheses: the interval that
holds the true ratio with 95 % confidence.

${markdownTable(journalTurnRows(turns))}
`
}`;
}
