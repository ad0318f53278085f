import { markdownTable } from "../fuzz/table.ts";
import type { Check } from "./check.ts";
import { FAULTS } from "./judge.ts";
import { PLACES } from "./places.ts";
import type { Measured } from "./runs.ts";
import type { Outcome } from "./play.ts";
import type { Subject, Tally } from "./tally.ts";
import type { Told } from "./told.ts";
import { TRUTHS } from "./truth.ts";

const TOLD: readonly Told[] = ["result", "unknown", "not started", "absent", "invented", "other"];

function subjectCells({ release, variant, mode }: Subject): string[] {
  return [release, mode, variant];
}

/** One line for each thing that must not be, with the command that repeats its kill. */
export function failureLines(subject: Subject, { n, conversations }: Outcome, seed: string): string[] {
  const again = `npm run trial chaos -- --release ${subject.release} --variant ${subject.variant} --mode ${subject.mode} --seed ${seed} --only ${n}`;
  const all = conversations.flatMap(({ tag, checks }) =>
    checks.flatMap(({ failures }: Check) => failures.map(({ fault, detail }) => `${tag}: ${fault}: ${detail}`)),
  );
  return all.map((line) => `${subjectCells(subject).join(" ")} ${line}\n  again: ${again}`);
}

/** What the checks found: a row for each OpenClaw. */
export function checksTable(tallies: readonly Tally[]): string[][] {
  const head = [
    "release",
    "mode",
    "variant",
    "kills",
    "interrupted turns",
    "next messages",
    "answered",
    ...FAULTS.slice(1),
    "messages never taken in",
    "episodes not measured",
  ];
  const rows = tallies.map((one) => [
    ...subjectCells(one),
    ...[
      one.kills,
      one.turns,
      one.checks,
      one.answered,
      ...FAULTS.slice(1).map((fault) => one.faults.get(fault) ?? 0),
      one.neverTaken,
      one.notMeasured,
    ].map(String),
  ]);
  return [head, ...rows];
}

/** Where the turns were when they were killed: a row for each OpenClaw. */
export function placesTable(tallies: readonly Tally[]): string[][] {
  return [
    ["release", "mode", "variant", ...PLACES],
    ...tallies.map((one) => [...subjectCells(one), ...PLACES.map((place) => String(one.places.get(place) ?? 0))]),
  ];
}

/** What was true of each call beside what the model was told of it. */
export function toldTable(tally: Tally): string[][] {
  const rows = TRUTHS.map((truth) => [truth, ...TOLD.map((told) => String(tally.told.get(truth)?.get(told) ?? 0))]);
  return [["true of the call", ...TOLD.map((told) => `told: ${told}`)], ...rows];
}

/** The whole report as Markdown. */
export function formatReport({ runs, tallies }: Measured): string {
  return `# Chaos: kill -9 in the middle of turns

${runs.map((run) => `- ${run}`).join("\n")}

The real OpenClaw is killed by SIGKILL from outside at random points of turns with one or several tools at a time: before the request, while an
answer with calls comes in, while the tools run (\`exec\` and \`read\`, up to 400 ms, some of them fail), while the answer comes in, and
behind it. One to three conversations are in a turn at the same time. Then OpenClaw is started again on the same state and the next message of each conversation goes out,
to a strict provider. A fifth of the conversations are killed twice, half of these before anything has been answered.

- *user message lost*: it had been in a request, or in the store, and is not in the next request. *Never taken in*: it had not, and is nowhere.
- *result lost*: OpenClaw had the result and the next request does not have it.
- *half cycle*: a call without its result right behind it or the reverse, in any request. *Refused*: by the strict provider.
- *told wrongly*: "not started" of a call that did something, no word of it, or an invented result.

${markdownTable(checksTable(tallies))}

## Where the turns were

${markdownTable(placesTable(tallies))}

## What the model was told of each call

What was true is taken from what the command itself wrote down, and from OpenClaw's own events, which its process writes to a file before it continues.

- *cut off*: the model had not finished asking for it. *Not begun*: OpenClaw had not begun with it. *Begun, did nothing*: it had, and the command did not get to its first line.
- *running*: the command had begun (it goes on as an orphan). *Ended unheard*: it had ended, and OpenClaw had not said that it knew.
- *finished*: OpenClaw had said so at least 50 ms before the kill; *too close*: less. In the gateway, whose clients see no such event: the command had ended half a second before.

"Unknown" is true of what ran and was not finished; said of a call that had not begun, it is a loss of knowledge and no more.

${tallies.map((tally) => `### ${subjectCells(tally).join(", ")}\n\n${markdownTable(toldTable(tally))}`).join("\n\n")}
`;
}
