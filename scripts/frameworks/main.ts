/**
 * `npm run trial frameworks [-- --oldest | --kills 200] [-- --write]`: damaged histories in the forms of other
 * projects, through a real agent of each to strict providers, as they are and with the library. Exit code 1 where an
 * agent with the library answers one of them not at all or not whole, or sends a valid history otherwise, and where the
 * type of an adapter does not fit. `--write` makes results/frameworks.md. With `--oldest` the oldest versions, and the
 * SDKs alone. With `--kills`, agents that are killed while their tools run, with and without durable tools
 * (results/frameworks-kills.md).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { markdownTable, printTable } from "../fuzz/table.ts";
import { countKills, KILL_COLUMNS, toKillRow } from "./kills.ts";
import { HISTORIES, type Measured, measureAgents, PINNED, WAY_NAMES } from "./measure.ts";
import { describeOldest, splitPage } from "./oldest.ts";
import { describeMaking } from "../measured/making.ts";

const PAGE = join(import.meta.dirname, "../../results/frameworks.md");
const flag = { type: "boolean", default: false } as const;
const { values } = parseArgs({ options: { write: flag, oldest: flag, kills: { type: "string" } } });
if (values.kills !== undefined) process.exit(await killAgents(Number(values.kills)));
const sets = values.oldest ? [PINNED.oldest, PINNED.sdks] : [PINNED.newest];
const measured: Measured[] = [];
const peers: Measured[] = [];
const typeErrors: string[] = [];
for (const set of sets) {
  const found = (await measureAgents((line) => console.error(line), set)) ?? process.exit(1);
  measured.push(...found.measured);
  peers.push(...found.peers);
  typeErrors.push(...found.typeErrors);
}
const rows = [
  ["agent", "API", ...WAY_NAMES, "incomplete"],
  ...measured.map(({ name, api, answered, lost }) => [
    name,
    api,
    ...WAY_NAMES.map((way) => String(answered[way] ?? "-")),
    lost.join(" → "),
  ]),
];
printTable(rows);
const peerRows = [
  ["agent", "API", "answered", "incomplete"],
  ...peers.map(({ name, api, answered, lost }) => [name, api, String(answered["as it is"]), String(lost[0])]),
];
if (peers.length > 0) printTable(peerRows);
const faults = [
  ...measured.flatMap(({ name, api, faults: wrong }) => wrong.map((fault) => `${name}, ${api}: ${fault}`)),
  ...typeErrors,
];
for (const fault of faults) console.log(fault);
const written = splitPage(readFileSync(PAGE, "utf8"));
if (values.write && values.oldest) {
  writeFileSync(PAGE, written.newest + describeOldest(rows, faults));
} else if (values.write) {
  const pins = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const versions = Object.entries(pins.dependencies).map(([name, version]) => `${name} ${version}`);
  const page = `# Damaged histories through the agents of other projects

${describeMaking("npm run trial frameworks -- --write")} How many of ${HISTORIES} damaged histories
(harness/lists/faults.ts) an agent answers, to providers that refuse what the APIs refuse: as it is, with
\`fetch: healingFetch()\`, with \`repair(messages).messages\` where the framework takes its messages, with both; with the
adapter of the packed library, and with that and \`healingFetch\`. \`-\`: there is no adapter, or a repair by hand is written into the store or
lacks what the framework reads. *incomplete*: in how many requests something is missing that the history says, as it is
and with fetch and any adapter.

${markdownTable(rows)}

With both, and with the adapter and \`healingFetch\`: ${faults.length === 0 ? "no word that the agent itself sends is missing in its request, and a valid history is sent with the same bytes as without. A program with each adapter compiles without an assertion." : faults.join("; ")}

## What their own projects offer

The same histories, without the library. *incomplete*: requests that lack something that the history says.

${markdownTable(peerRows)}

${versions.join(", ")}.
`;
  writeFileSync(PAGE, page + written.oldest);
  console.log("wrote results/frameworks.md");
}
process.exit(faults.length > 0 ? 1 : 0);

/** Kills agents, prints what became of their calls, and returns the exit code. */
async function killAgents(kills: number): Promise<number> {
  const counted = await countKills(kills, (count) => console.error(toKillRow(count).join(", ")));
  if (!counted) return 1;
  const table = [KILL_COLUMNS, ...counted.map(toKillRow)];
  printTable(table);
  if (values.write) {
    writeFileSync(
      join(import.meta.dirname, "../../results/frameworks-kills.md"),
      `# Agents of other projects, killed while their tools run

${describeMaking(`npm run trial frameworks -- --kills ${kills} --write`)} A model asks an agent for two
payments; the agent gets a SIGKILL before its tool pays, between that and its return, or behind it. Started again, it is
asked whether it has paid. The program keeps the framework's messages after each step, or at the end of a run.

${markdownTable(table)}

*silent*: payments made of which the next request says nothing. *wrong*: calls of which it says what is not so.
*doubled*: payments made again without the model. *made*, *uncertain*: payments that it reports as made, or as calls that
may have run.
`,
    );
    console.log("wrote results/frameworks-kills.md");
  }
  return counted.some((one) => one.isDurable && one.refused + one.silent + one.wrong + one.doubled > 0) ? 1 : 0;
}
