import { markdownTable } from "../fuzz/table.ts";
import { describeMaking } from "../measured/making.ts";
import type { Point } from "./worker.ts";

/** A subject, and what one unit of its costs at each size. */
export interface Measured {
  readonly name: string;
  readonly points: readonly Point[];
}

/** Smaller sizes are cold: what they cost says nothing of growth. */
const WARM = 1000;
const FLAT = 3;

/** Whether no larger size costs more than three times as much for a unit as a thousand. */
export function isFlat({ points }: Measured): boolean {
  const base = points.find(({ size }) => size >= WARM)?.microseconds ?? Infinity;
  return points.every(({ size, microseconds }) => size < WARM || microseconds <= FLAT * base);
}

/** One row a subject, µs for a unit and MB at each size, its head first. */
export function formatRows(measured: readonly Measured[]): string[][] {
  const sizes = measured[0]?.points.map(({ size }) => size.toLocaleString("en-US")) ?? [];
  return [
    ["µs for one unit / MB of the process, at", ...sizes],
    ...measured.map(({ name, points }) => [
      name,
      ...points.map(({ microseconds, memory }) => `${microseconds.toFixed(1)} / ${memory}`),
    ]),
  ];
}

/** Lines of what a unit costs, as times of what it costs at a thousand; Mermaid's chart of numbers, which GitHub draws. */
function drawChart(measured: readonly Measured[]): string {
  const warm = measured.map(({ name, points }) => ({ name, points: points.filter(({ size }) => size >= WARM) }));
  const sizes = warm[0]?.points.map(({ size }) => `"${size.toLocaleString("en-US")}"`) ?? [];
  const lines = warm.map(
    ({ points }) =>
      `  line [${points.map(({ microseconds }) => (microseconds / points[0]!.microseconds).toFixed(2)).join(", ")}]`,
  );
  return [
    "```mermaid",
    "xychart-beta",
    '  title "What a unit costs, as times of what it costs at 1,000"',
    `  x-axis [${sizes.join(", ")}]`,
    `  y-axis "times" 0 --> ${FLAT}`,
    ...lines,
    "```",
  ].join("\n");
}

/** Figures of results/bench-continuity.md, in commands or steps a second. */
export interface KernelRates {
  readonly perSecond: number;
  readonly oneWriter: number;
  readonly manyWriters: number;
  readonly steps: number;
  readonly stepsOfDbos: number;
}

/** Reads them; throws where a row is not as expected. */
export function readKernelRates(page: string): KernelRates {
  const read = (row: RegExp): number => {
    const found = row.exec(page)?.[1];
    if (found === undefined) throw new Error(`expected results/bench-continuity.md to have ${row}; found none`);
    return Number(found.replaceAll(",", ""));
  };
  return {
    perSecond: read(/^\| 100 \| 10 \| update_checkpoint \| ([\d,]+) \|/m),
    oneWriter: read(/^\| 1 \| ([\d,]+) \|/m),
    manyWriters: read(/^\| 32 \| ([\d,]+) \|/m),
    steps: read(/^\| runStep: begin and result recorded \| ([\d,]+) \|/m),
    stepsOfDbos: read(/^\| runStep: begin and result recorded \| [\d,]+ \| ([\d,]+) \|/m),
  };
}

/** What one recorded step of a gateway writes: its begin and its result, each an event in a transaction. */
const COMMITS_A_STEP = 2;
const GATEWAYS = 10_000;
/** Steps that a gateway records in a minute, over a busy hour. */
const STEPS_A_MINUTE = 1;
const DAY = 86_400;

/** Where the next limit lies for many gateways on one PostgreSQL, from what was measured. */
function tellLimit(measured: readonly Measured[], kernel: KernelRates): string {
  const last = measured.find(({ name }) => name.startsWith("kernel"))?.points.at(-1);
  if (last === undefined) return "";
  const bytes = last.disk / last.size;
  const commits = (GATEWAYS * STEPS_A_MINUTE * COMMITS_A_STEP) / 60;
  const { perSecond, oneWriter, manyWriters, steps, stepsOfDbos } = kernel;
  const number = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
  const most = (perSecond / COMMITS_A_STEP) * 60;
  return `
## Ten thousand gateways on one PostgreSQL, on paper

Assumed: each records ${STEPS_A_MINUTE} step a minute over a busy hour, each step with ${COMMITS_A_STEP} commits (its begin and its result), each gateway its own project.

- **Commits**: ${number.format(GATEWAYS)} × ${STEPS_A_MINUTE} × ${COMMITS_A_STEP} / 60 = ${number.format(commits)} a second. One client process and PostgreSQL on the same two cores did
  ${number.format(perSecond)} a second for 100 projects on ten connections (bench-continuity.md): ${number.format((commits / perSecond) * 100)} % of that. These two cores are full at
  ${number.format(most)} steps a minute of all gateways: ${number.format(most)} gateways at one step a minute, or ten thousand at ${(most / GATEWAYS).toFixed(1)}.
- **Disk**: ${number.format(bytes)} bytes an event (SQLite, snapshots included): ${number.format((commits * bytes * DAY) / 1e9)} GB a day if the busy hour lasted all day, about as much
  again of write-ahead log. This is the next limit: the ledger is never shortened by itself.
- **Connections**: ten thousand processes with one each are more than one PostgreSQL takes (100 by default; each costs a
  process). PgBouncer in front, in transaction mode, shares them: the chaos runs use the kernel through one (continuity-chaos.md).
- **One project** stands behind one row's lock: ${oneWriter} commands a second with one writer, ${manyWriters} with 32 (bench-continuity.md). A gateway
  writes to its own, so that this does not grow with gateways.
- **DBOS** as the engine commits once a step: ${stepsOfDbos} a second on the same server, one after the other, where the kernel's two
  commits give ${steps} (bench-continuity.md); the same arithmetic with half of the commits, and without the record that a step began.
`;
}

/** The page of one run; `kernel`: what one PostgreSQL was measured to do. */
export function formatReport(command: string, measured: readonly Measured[], kernel: KernelRates): string {
  const steep = measured.filter((one) => !isFlat(one)).map(({ name }) => name);
  return `# What one unit costs where there are many

${describeMaking(command)}

CPU time for one unit (the least of some rounds), and what the process had at most by then, with the data that was made
for it; files in memory. From a thousand on ${steep.length === 0 ? "no unit costs more than three times what it costs at a thousand" : `these cost more than three times as much: ${steep.join(", ")}`}.

${markdownTable(formatRows(measured))}

${drawChart(measured)}

- *validate*, *heal*: one list of so many messages, in one call.
- *scan*: sessions of 200 rows in files, each read and parsed whole, nothing remembered of an earlier scan.
- *journal*: a hundred calls more, each recorded before it runs, when it starts, with its result, and closed.
- *kernel*: a hundred commands more in a project of so many events, each acknowledged by its own transaction.
${tellLimit(measured, kernel)}`;
}
