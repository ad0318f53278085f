import { markdownTable } from "../fuzz/table.ts";
import { RULES } from "./finding.ts";
import type { RunOptions, RunResult } from "./run.ts";
import { describeMaking } from "../measured/making.ts";

/** A run with what it was asked for. */
export interface Run {
  readonly options: Pick<RunOptions, "store" | "seed" | "workers" | "workflows" | "pooler" | "skewMs" | "hangs">;
  readonly result: RunResult;
}

const COLUMNS: readonly (readonly [string, (run: Run) => string | number])[] = [
  ["store", ({ options }) => options.store],
  ["seed", ({ options }) => options.seed],
  ["minutes", ({ result }) => (result.seconds / 60).toFixed(1)],
  ["workers at a time", ({ options }) => options.workers],
  ["workflows", ({ options }) => options.workflows],
  ["through PgBouncer", ({ options }) => (options.pooler === true ? "yes" : "no")],
  ["clocks off by, s", ({ options }) => (options.skewMs ?? 0) / 1000],
  ["workers started", ({ result }) => result.disturbances.workers],
  ["kill -9", ({ result }) => result.disturbances.kills],
  ["of these while suspended", ({ result }) => result.disturbances.killsOfSuspended],
  ["suspended past the lease", ({ result }) => result.disturbances.suspensions],
  ["server restarted", ({ result }) => result.disturbances.fastRestarts],
  ["server crashed", ({ result }) => result.disturbances.crashes],
  ["server hung", ({ result }) => result.disturbances.hangs],
  ["steps completed", ({ result }) => result.checked.completions],
  ["events", ({ result }) => result.checked.events],
  ["leases", ({ result }) => result.checked.leases],
  ["of these taken over", ({ result }) => result.checked.takeovers],
  ["executions", ({ result }) => result.executions],
  ["completions acknowledged", ({ result }) => result.acknowledged],
  ["attempts without completion", ({ result }) => result.checked.repeatedAttempts],
  ["refused: fenced", ({ result }) => result.refusals.get("fenced") ?? 0],
  ["refused: lease expired", ({ result }) => result.refusals.get("lease-expired") ?? 0],
  ["store away", ({ result }) => (result.refusals.get("unavailable") ?? 0) + (result.refusals.get("busy") ?? 0)],
  ["workers that failed", ({ result }) => result.disturbances.failures.length],
  ["damages by verify", ({ result }) => result.checked.damages.length],
];

/** The runs as rows of a table, one column per run. */
export function runRows(runs: readonly Run[]): string[][] {
  return [
    ["", ...runs.map(({ options }) => options.store)],
    ...COLUMNS.slice(1).map(([name, toValue]) => [name, ...runs.map((run) => format(toValue(run)))]),
  ];
}

/** How often each rule was broken, one column per run. */
export function ruleRows(runs: readonly Run[]): string[][] {
  const broken = ({ result }: Run, rule: string): string =>
    String(result.checked.findings.filter((finding) => finding.rule === rule).length);
  return [
    ["rule", ...runs.map(({ options }) => `broken, ${options.store}`)],
    ...Object.entries(RULES).map(([rule, says]) => [says, ...runs.map((run) => broken(run, rule))]),
  ];
}

/** The page of one call of the command. */
export function formatReport(command: string, runs: readonly Run[]): string {
  return `# Chaos: kill -9 under the continuity kernel

${describeMaking(command)}

Several processes execute the steps of the same workflows under leases of 300 to 1,000 ms, on one PostgreSQL, and on one SQLite file. At random moments one
is killed by SIGKILL, or suspended by SIGSTOP for longer than its lease holds and continued, or the server is restarted, in turns in good order and by a crash
(immediate shutdown). Killed workers are replaced. Steps are pure, idempotent and non-idempotent with a key to an outside system; some fail, some take longer than a lease holds, some workers
send no heartbeat or never give their lease back.

${markdownTable(runRows(runs))}

## What the checker looked at

The first ${CHAIN_RULES} rules are held against the events alone, by code that uses nothing of the kernel's; the rest against what each worker wrote down as it happened (times by the
machine's one monotonic clock). At last the kernel's own \`verify\` replays every workflow.

${markdownTable(ruleRows(runs))}
`;
}

const CHAIN_RULES = Object.keys(RULES).indexOf("acknowledged-kept");

function format(value: string | number): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : value;
}
