/**
 * `npm run trial frameworks [-- --write]`: damaged histories in the forms of other projects, through a real agent of each
 * to strict providers, as they are and with the library. Exit code 1 where an agent with the library answers one of them
 * not at all or not whole, or sends a valid history otherwise. `--write` makes results/frameworks.md.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { markdownTable, printTable } from "../fuzz/table.ts";
import { HISTORIES, measureAgents, WAY_NAMES } from "./measure.ts";

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const measured = await measureAgents((line) => console.error(line));
if (!measured) process.exit(1);
const rows = [
  ["agent", "API", ...WAY_NAMES],
  ...measured.map(({ name, api, answered }) => [name, api, ...WAY_NAMES.map((way) => String(answered[way]))]),
];
printTable(rows);
const faults = measured.flatMap(({ name, api, faults: wrong }) => wrong.map((fault) => `${name}, ${api}: ${fault}`));
for (const fault of faults) console.log(fault);
if (values.write) {
  const pins = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const versions = Object.entries(pins.dependencies).map(([name, version]) => `${name} ${version}`);
  const page = `# Damaged histories through the agents of other projects

${new Date().toISOString().slice(0, 10)}, \`npm run trial frameworks -- --write\`, Node ${process.version}. How many of ${HISTORIES} damaged histories
(harness/lists/faults.ts) an agent answers, to providers that refuse what the APIs refuse: as it is, with
\`fetch: healingFetch()\`, with \`repair(messages).messages\` where the framework takes its messages, and with both.

${markdownTable(rows)}

With both: ${faults.length === 0 ? "no word that the agent itself sends is missing in its request, and a valid history is sent with the same bytes as without." : faults.join("; ")}

${versions.join(", ")}.
`;
  writeFileSync(join(import.meta.dirname, "../../results/frameworks.md"), page);
  console.log("wrote results/frameworks.md");
}
process.exit(faults.length > 0 ? 1 : 0);
