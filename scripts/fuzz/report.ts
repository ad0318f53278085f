import { markdownTable } from "./table.ts";
import type { Tallies } from "./tally.ts";
import { describeMaking } from "../measured/making.ts";

/** Numbers of a run for the report. */
export interface RunFacts {
  command: string;
  seed: number;
  seconds: number;
}

const NUMBER = new Intl.NumberFormat("en-US");

function share(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`;
}

const HEAD = [
  "API",
  "adapter",
  "histories",
  "of them corrupt",
  "without: refused",
  "without: accepted, content lost",
  "with: valid",
  "with: content lost",
  "not idempotent",
  "not deterministic",
];

/** The tallies as rows of a table, its head first. */
export function tallyRows(tallies: Tallies): string[][] {
  const rows = Object.entries(tallies).toSorted(([left], [right]) => left.localeCompare(right));
  return [
    HEAD,
    ...rows.map(([key, { histories, corrupt, alone, repaired }]) => [
      ...key.split("|"),
      NUMBER.format(histories),
      NUMBER.format(corrupt),
      `${NUMBER.format(alone.refused)} (${share(alone.refused, histories)})`,
      `${NUMBER.format(alone.lost)} (${share(alone.lost, histories)})`,
      `${NUMBER.format(repaired.valid)} (${share(repaired.valid, histories)})`,
      NUMBER.format(repaired.lost),
      NUMBER.format(repaired.notIdempotent),
      NUMBER.format(repaired.notDeterministic),
    ]),
  ];
}

/** The report of a whole run. */
export function formatReport(tallies: Tallies, { command, seed, seconds }: RunFacts): string {
  return `# Random corrupt histories through the real adapters

${describeMaking(command, `seed ${seed}`, `${Math.round(seconds / 60)} min`)}

Each history is a healthy one with up to five corruptions (five of six) or any JSON whatever (one of six). It goes through the
history gate, \`prepare\`, an adapter and \`heal\`; the body is judged by the strict provider's rules, which were written apart from
ours, and by \`check\`. "careless" is an adapter that repairs nothing and looks at no types; the others are those of the installed
releases, as they are. "without" is the same adapter alone, with a new
message of the user behind the history: a provider's 400, or the adapter's own exception. Content is every
text of a turn that did not fail and every result whose call is there. The API's models vary with the history, and so does
whether the model itself or another one wrote it.

${markdownTable(tallyRows(tallies))}
`;
}
