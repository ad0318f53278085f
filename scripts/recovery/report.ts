import { markdownTable } from "../fuzz/table.ts";
import type { Measurement } from "./measure.ts";
import { describeMaking } from "../measured/making.ts";

/** Whether the conversation survived: all three messages answered, nothing of the history lost. */
export function survived({ next, places, failed }: Measurement): boolean {
  return (
    failed === undefined && next.every(({ answered }) => answered) && places.every(([, place]) => place !== "lost")
  );
}

/** One line about a measurement. */
export function formatLine(one: Measurement): string {
  return [...formatHead(one), ...formatCells(one)].join(" | ");
}

/** The results as Markdown: stock beside patched, a table for each release and mode, then the counts. */
export function formatReport(measurements: readonly Measurement[], command: string): string {
  const groups = Map.groupBy(measurements, ({ release, mode }) => `OpenClaw ${release}, ${mode}`);
  const sections = [...groups].map(([title, rows]) => `## ${title}\n\n${formatTable(rows)}`);
  return `# Live faults, stock beside patched

${describeMaking(command)}

The real OpenClaw against a provider that fails in the middle of a turn, then three further messages, which the provider answers when
the history that comes with them is valid. Every conversation begins with a stored question, a tool call, its result and an answer.

- *shown*: what the person saw for the faulty turn, as OpenClaw words it; *(nothing)* is a turn that ended in silence.
- *requests*: what the provider got in the faulty turn; *+n* what OpenClaw sent on its own after a kill.
- *next three*: whether the model's answer came back, for each of the three messages.
- *call*: what became of the scenario's call, by the trace that the real command leaves. *Half executed* is a command that was cut off
  and run all the same. After a kill the command may go on as an orphan.
- *history*: the user's texts, the stored answer and the results of finished tools. Complete: all of it is in the last request.
  Otherwise what is only in an archive, only in the store, or lost.

${sections.join("\n\n")}

${formatCounts(measurements)}
`;
}

/** How many conversations survived, per release, mode and variant. */
export function formatCounts(measurements: readonly Measurement[]): string {
  const groups = Map.groupBy(measurements, ({ release, mode, variant }) => [release, mode, variant].join(","));
  const rows = [...groups].map(([key, all]) => {
    const count = (isAmong: (one: Measurement) => boolean): string => `${all.filter(isAmong).length} of ${all.length}`;
    return [
      ...key.split(","),
      count(({ next }) => next.every(({ answered }) => answered)),
      count(({ places }) => places.every(([, place]) => place === "request")),
      count(({ places }) => places.every(([, place]) => place !== "lost")),
      count(({ executed }) => executed === "half executed"),
      String(all.reduce((sum, { requests }) => sum + requests, 0)),
    ];
  });
  return markdownTable([
    [
      "release",
      "mode",
      "variant",
      "all three answered",
      "history in the request",
      "nothing lost",
      "half a call executed",
      "requests of faulty turns",
    ],
    ...rows,
  ]);
}

function formatTable(rows: readonly Measurement[]): string {
  const order = Map.groupBy(rows, ({ api, id }) => `${api} ${id}`);
  const body = [...order.values()].flatMap((variants) =>
    variants.map((one) => [...formatHead(one).slice(2), ...formatCells(one)]),
  );
  return markdownTable([["API", "fault", "", "shown", "requests", "s", "next three", "call", "history"], ...body]);
}

function formatHead({ release, mode, api, id, title, variant }: Measurement): string[] {
  return [release, mode, api, `${id}: ${title}`, variant];
}

function formatCells({ shown, requests, resumed, sameTwice, next, executed, places, failed }: Measurement): string[] {
  if (failed !== undefined) return [`not measured: ${cell(failed)}`, "", "", "", "", ""];
  return [
    cell(shown.text) || "(nothing)",
    `${requests}${resumed > 0 ? ` +${resumed}` : ""}${sameTwice ? ", the same again" : ""}`,
    (shown.ms / 1000).toFixed(1),
    next.map(({ answered }) => (answered ? "yes" : "**no**")).join(", "),
    executed === "half executed" ? "**half executed**" : executed,
    describeHistory(places),
  ];
}

function describeHistory(places: Measurement["places"]): string {
  const elsewhere = places.filter(([, place]) => place !== "request");
  if (elsewhere.length === 0) return "complete";
  const byPlace = Map.groupBy(elsewhere, ([, place]) => place);
  return [...byPlace]
    .map(
      ([place, pieces]) =>
        `${place === "lost" ? "**lost**" : `in the ${place}`}: ${pieces.map(([piece]) => piece).join(", ")}`,
    )
    .join("; ");
}

/** A text for a cell: one line, not long, nothing that ends the cell. */
function cell(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim().replaceAll("|", "\\|");
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
