import { cpus } from "node:os";
import { markdownTable } from "../../fuzz/table.ts";
import { ms } from "../report.ts";
import { SIZES, type PeerCost } from "./measure.ts";

/** What each does with a broken history, as rows of a table, its head first. */
export function peerDeedRows(costs: readonly PeerCost[]): string[][] {
  return [
    ["step", "what it does", "a result without a call", "a call without a result"],
    ...costs.map(({ name, does, measured }) => [
      name,
      does,
      measured?.orphan ?? "not installed",
      measured?.unanswered ?? "not installed",
    ]),
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
  return `# What others do with a history, and for how much

${new Date().toISOString().slice(0, 10)}, \`${command}\`, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim() || "unknown CPU"}.
scripts/bench/peers/package-lock.json has the versions of the other projects.

## What is done

Each step gets two broken histories in its project's own format.

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
