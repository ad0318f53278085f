/**
 * `npm run trial growth [-- --write] [--kind K] [--size N]`: how the work of every function that takes data of others grows
 * with the data, on every family of hostile and healthy inputs, counted in operations.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { computeExponent, measure, findSteep, TOO_STEEP } from "../../harness/growth/growth.ts";
import type { Growth } from "../../harness/growth/measure.ts";
import { markdownTable } from "../fuzz/table.ts";
import { describeMaking } from "../measured/making.ts";

const { values } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    kind: { type: "string", multiple: true },
    size: { type: "string" },
  },
});
const RESULTS = fileURLToPath(new URL("../../results/growth.md", import.meta.url));
const command = ["npm run trial growth", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(
  " ",
);

/** The smallest of the three sizes of each kind, in messages, rows, characters, or levels and items. */
const SIZES: Readonly<Record<string, number>> = { histories: 300, rows: 300, texts: 2000, values: 1000 };

/** What was measured of faults that are mended: at three sizes, each twice the one before, in seconds. */
const BEFORE: readonly (readonly [
  what: string,
  kind: string,
  subject: string,
  family: string,
  sizes: string,
  seconds: string,
])[] = [
  [
    "`gated`, results before their call",
    "histories",
    "the load gate",
    "results before their one call",
    "5,000 / 10,000 / 20,000 results",
    "0.4 / 1.1 / 4.3",
  ],
  [
    "`chooseTreatment`",
    "histories",
    "choose a treatment, tool_pairing",
    "calls in one message with their results",
    "5,000 / 10,000 / 20,000 calls",
    "0.6 / 3.2 / 12.5",
  ],
  [
    "`alternate`",
    "histories",
    "treat, strict_roles",
    "users in a row",
    "5,000 / 10,000 / 20,000 messages",
    "0.4 / 1.1 / 7.4",
  ],
  [
    "`NodeHashes`, a healthy chain",
    "rows",
    "hashes of all nodes",
    "a chain",
    "1,500 / 3,000 / 6,000 messages",
    "0.3 / 0.9 / 4.1",
  ],
  ["`timeline`, one batch", "rows", "timeline", "one batch", "5,000 / 10,000 / 20,000 calls", "0.5 / 3.3 / 19.4"],
  ["`shortReason`", "texts", "short reason", JSON.stringify(". "), "80,000 characters", "11"],
  ["`takesNote`", "texts", "takes a note", '"_"', "80,000 characters", "10"],
];

const number = new Intl.NumberFormat("en-US");
const all: Growth[] = [];
const steep: Growth[] = [];
for (const kind of values.kind ?? Object.keys(SIZES)) {
  const n = Number(values.size ?? SIZES[kind]);
  const began = performance.now();
  const growths = await measure({ kind, n }, ([first]) => first && console.error(`${kind}: ${first.subject}`));
  for (const one of growths) all.push(one);
  for (const one of await findSteep(growths, n)) steep.push(one);
  console.error(`${kind}: ${growths.length} pairs in ${Math.round((performance.now() - began) / 1000)} s`);
}

function growthName({ subject, family }: Growth): string {
  return `${subject} | ${family}`;
}

/** The family on which a subject grows most, of those that do not only seem to. */
function findWorst(growths: readonly Growth[]): Growth {
  const kept = growths.filter(
    (one) => computeExponent(one) < TOO_STEEP || steep.some((other) => growthName(other) === growthName(one)),
  );
  return (kept.length > 0 ? kept : growths).toSorted((one, other) => computeExponent(other) - computeExponent(one))[0]!;
}

function describePower(growth: Growth | undefined): string {
  return growth ? (growth.thrown ?? computeExponent(growth).toFixed(2)) : "not measured";
}

const groups = Map.groupBy(all, ({ kind, subject }) => `${kind}|${subject}`);
const rows = [...groups.values()].map((growths) => {
  const worst = findWorst(growths);
  return [
    worst.kind,
    worst.subject,
    String(growths.length),
    worst.family.replaceAll("|", "\\|"),
    worst.counts.map((count) => number.format(count)).join(" / "),
    describePower(worst),
  ];
});
const before = BEFORE.map(([what, kind, subject, family, sizes, seconds]) => [
  what,
  sizes,
  seconds,
  describePower(all.find((one) => one.kind === kind && one.subject === subject && one.family === family)),
]);
const report = `# How the work grows with the input

${describeMaking(command)}

Every function that takes data of others, on every family of inputs, at n, 2n and 4n (n = ${Object.entries(SIZES)
  .map(([kind, n]) => `${number.format(n)} for ${kind}`)
  .join(", ")}). Counted is
not time but work, which is the same on every machine: how often each block of the sources is executed, and how many items or characters the built-in functions
go through that the sources call. The power is that of the input by which the work grows from n to 4n: 1 is linear. ${TOO_STEEP} or more is a fault, unless it is gone
with four times the input: a cost with a bound (a text that is read up to a length, a walk that begins at a depth) looks steep where it sets in.

${number.format(all.length)} pairs of function and family, ${steep.length} of them too steep or with an error.

## Mended

The seconds were measured before the change, on inputs each twice the one before; a power of 2 takes four times as long each time.

${markdownTable([["what", "sizes", "seconds before", "power now"], ...before])}

## The worst family of each function

${markdownTable([["kind", "function", "families", "worst family", "operations at n / 2n / 4n", "power"], ...rows])}
`;
console.log(report);
for (const one of steep) console.error(`FAILED ${growthName(one)}: ${describePower(one)}`);
if (steep.length > 0) process.exitCode = 1;
if (values.write) writeFileSync(RESULTS, report);
