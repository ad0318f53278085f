import { markdownTable } from "../fuzz/table.ts";
import { RULES } from "./finding.ts";
import { AREAS } from "./plan.ts";
import type { Outcome } from "./play.ts";
import { type Row, sumRows, type Tally } from "./tally.ts";
import { describeMaking } from "../measured/making.ts";

/** One line for each rule that a kill broke, with the command that repeats it. */
export function failureLines(release: string, { kill, findings, gateway }: Outcome, again: string): string[] {
  const { n, area, scenario, place, delayMs } = kill;
  const where = `${area}${place ? ` (${place.from} ${place.at}, ${place.part})` : ` (${delayMs} ms)`}, to ${scenario.name}`;
  const line =
    (by: string) =>
    ({ rule, message }: { rule: string; message: string }): string =>
      `${release} kill ${n}, ${where}${by}: ${rule}: ${message}\n  again: ${again} --only ${n}`;
  return [...findings.map(line("")), ...(gateway?.findings ?? []).map(line(", gateway"))];
}

/** What became of the kills of a release: a row for each place. */
export function placesTable(tally: Tally): string[][] {
  const cells = (row: Row): string[] => [
    String(row.kills),
    String(row.moved),
    formatShare(row.kills, row.answered),
    ...(tally.hasIndex ? [String(row.dirty)] : []),
    formatShare(row.gateway, row.gatewayAnswered),
    formatShare(row.stock, row.stockAnswered),
  ];
  const head = [
    "killed",
    "kills",
    "moved",
    "answered, twice",
    ...(tally.hasIndex ? ["index to be rebuilt"] : []),
    "answered by the gateway",
    "answered by the unpatched release",
  ];
  const used = AREAS.filter((area) => tally.rows.get(area)!.kills > 0);
  return [head, ...used.map((area) => [area, ...cells(tally.rows.get(area)!)]), ["all", ...cells(sumRows(tally))]];
}

/** How often each rule was broken, one column per release. */
export function rulesTable(tallies: readonly Tally[]): string[][] {
  return [
    ["rule", ...tallies.map(({ release }) => `broken, ${release}`)],
    ...Object.entries(RULES).map(([rule, says]) => [
      says,
      ...tallies.map(({ findings }) => String(findings.filter((one) => one.rule === rule).length)),
    ]),
  ];
}

/** What is to be known of a release besides its table. */
export function remarks({ tooLate, stockErrors }: Tally): string[] {
  return [
    ...(tooLate > 0 ? [`${tooLate} turns were over before their kill came, and were killed behind their end.`] : []),
    ...[...stockErrors].map(
      ([error, times]) => `The unpatched release said ${times === 1 ? "once" : `${times} times`}: ${error}`,
    ),
  ];
}

/** The page of one call of the command. */
export function formatReport(command: string, seed: string, minutes: number, tallies: readonly Tally[]): string {
  return `# Chaos: kill -9 around a move

${describeMaking(command, `seed \`${seed}\``, `${minutes} minutes`)}

The agent of the real OpenClaw goes back in its history with \`tobe\`, in a batch with another call, and its process is killed by SIGKILL at an exact place: it is
loaded with a module that stands in front of SQLite and of the function that appends to transcript files, and counts. A turn that nobody disturbs says which places there are; each of them from the
carryover's row on is visited three times, to go back behind a batch of calls, before the user's question, and before everything. The rest of the kills comes from outside, at random times. Then OpenClaw is started again on the same
state, and two more messages go to a strict provider. *Moved*: the carryover was stored at the kill. The gateway and the unpatched release
of the same number are started on copies of some of the states.

${tallies.map((tally) => [`## ${tally.release}`, markdownTable(placesTable(tally)), ...remarks(tally)].join("\n\n")).join("\n\n")}

## What was looked at

By code that uses nothing of the guard's, in the stored rows and in the requests.

${markdownTable(rulesTable(tallies))}
`;
}

function formatShare(all: number, some: number): string {
  return all === 0 ? "" : `${some} of ${all}`;
}
