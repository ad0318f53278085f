/**
 * `npm run trial runtimes [-- --write]`: the packed library in Node, Bun, Deno, Cloudflare's workerd and Chromium: the
 * same lists, bodies and requests to strict providers in each. Exit code 1 where a result differs in a byte from Node
 * 24's. `--write` makes results/runtimes.md. Chromium is Debian's (`apt-get install chromium`); the others are of npm.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { markdownTable, printTable } from "../fuzz/table.ts";
import { measureRuntimes, PARTS, toRow } from "./measure.ts";
import { RUNTIMES } from "./runtimes.ts";
import { describeMaking } from "../measured/making.ts";

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const measured = await measureRuntimes(RUNTIMES, (line) => console.error(line));
const rows = [["runtime", "version", "given", ...PARTS, "hash"], ...measured.map(toRow)];
printTable(rows);
const faults = measured.flatMap(({ name, faults: wrong }) => wrong.map((fault) => `${name}: ${fault}`));
for (const fault of faults) console.log(fault);
if (values.write) {
  const page = `# The library in other runtimes

${describeMaking("npm run trial runtimes -- --write")} One program with the packed library in each
runtime: how many results are those of Node 24, byte for byte. Deno permits the network and nothing else; workerd is
without Node's modules.

${markdownTable(rows)}

*lists*: \`validate\` and \`repair\` of 17 damaged histories and a valid one in each of 11 forms. *bodies*: \`check\` and
\`heal\` of these for five APIs, of requests that real providers have answered or refused, and of what each known rule
refuses. *answers*: through \`healingFetch\` to providers that refuse what the APIs refuse: damaged histories with each
kind of body, healthy ones whose arguments stay the same, requests that are refused once, streams. *aborts*: before an
answer and within a stream, with the errors of the runtime's own \`fetch\`. *received*: what the providers got, by path,
headers and bytes. A runtime that the machine does not have is absent.
${faults.length === 0 ? "" : `\n${faults.join("\n")}\n`}`;
  writeFileSync(join(import.meta.dirname, "../../results/runtimes.md"), page);
  console.log("wrote results/runtimes.md");
}
process.exit(faults.length > 0 ? 1 : 0);
