import { readFileSync } from "node:fs";
import { join } from "node:path";
import { markdownTable } from "../fuzz/table.ts";
import { PINNED } from "./measure.ts";
import { describeMaking } from "../measured/making.ts";

const HEADING = "\n## The oldest versions\n";

/** Returns what a page says of the oldest versions, and what before that. */
export function splitPage(page: string): { newest: string; oldest: string } {
  const at = page.indexOf(HEADING);
  return at < 0 ? { newest: page, oldest: "" } : { newest: page.slice(0, at), oldest: page.slice(at) };
}

/** Writes what a page says of the oldest versions. */
export function describeOldest(rows: readonly string[][], faults: readonly string[]): string {
  const { dependencies } = JSON.parse(readFileSync(join(PINNED.oldest.pins, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const versions = Object.entries(dependencies).map(([name, version]) => `${name} ${version}`);
  return `${HEADING}
${describeMaking("npm run trial frameworks -- --oldest --write")} The same
with the oldest versions with which all histories are answered, and with the SDKs alone.

${markdownTable(rows)}

With both: ${faults.join("; ") || "nothing is missing, and a valid history is sent with the same bytes."}

${versions.join(", ")}.
`;
}
