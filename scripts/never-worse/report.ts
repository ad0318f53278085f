import { markdownTable } from "../fuzz/table.ts";
import { caseName } from "./case.ts";
import { countExtra, type Finding, type Kind } from "./judge.ts";
import type { CaseRecord } from "./record.ts";
import type { Pair } from "./run.ts";
import { describeMaking } from "../measured/making.ts";

const WORSE: Record<Kind, string> = {
  unanswered: "not answered with the patch",
  lost: "not sent with the patch",
  requests: "requests",
};

/** The counts of a group, a row for each release. */
export function formatTable(pairs: readonly Pair[]): string {
  const byRelease = Map.groupBy(pairs, ({ release }) => release);
  return markdownTable([
    [
      "release",
      "cases",
      "messages",
      "answered by stock",
      "answered by patched",
      "worse",
      "words lost versus stock",
      "most extra requests",
      "turns with more than two",
      "exceptions",
    ],
    ...[...byRelease].map(([release, some]) => [release, ...formatCounts(some)]),
  ]);
}

function formatCounts(pairs: readonly Pair[]): string[] {
  const turns = pairs.flatMap(({ stock, patched }) =>
    stock.turns.map((before, at) => ({ before, after: patched.turns[at] })),
  );
  const findings = (kind: Kind): Finding[] => pairs.flatMap((pair) => pair.findings.filter((one) => one.kind === kind));
  const extra = turns.map(({ before, after }) => countExtra(before, after));
  const words = findings("lost").reduce((sum, { what }) => sum + what.split(", ").length, 0);
  return [
    pairs.length,
    turns.length,
    turns.filter(({ before }) => before.answered).length,
    turns.filter(({ after }) => after?.answered).length,
    findings("unanswered").length,
    words,
    extra.reduce((most, one) => Math.max(most, one), 0),
    findings("requests").length,
    pairs.reduce((sum, { excepted }) => sum + excepted.length, 0),
  ].map(String);
}

/** How a case is played again. */
export function replayCommand({ release, played }: Pair): string {
  const id = played.id.replaceAll(/[.+?*]/g, String.raw`\$&`);
  const random = played.group === "random" ? ` --seed ${played.id.replace("random-", "")} --random 1` : "";
  const only = `--only '^${caseName({ ...played, id })}$'`;
  return `npm run trial never-worse -- --release ${release} --group ${played.group}${random} ${only}`;
}

/** What is worse in a pair, a line for each finding. */
export function findingLines(pair: Pair): string[] {
  const { release, played, findings } = pair;
  return findings.map(({ kind, turn, what }) => {
    const told = what.replaceAll(/\s+/g, " ").slice(0, 200);
    return `${caseName(played)}, ${release}, message ${turn}: ${WORSE[kind]}: ${told}`;
  });
}

/** How many messages of each case were answered, without the patch and with it, on each release. */
export function casesTable(pairs: readonly Pair[]): string {
  const releases = [...new Set(pairs.map(({ release }) => release))];
  return markdownTable([
    ["case", "what", ...releases.map((release) => `${release}: stock, patched`)],
    ...[...Map.groupBy(pairs, ({ played }) => caseName(played))].map(([name, some]) => [
      name,
      some[0]!.played.title,
      ...releases.map((release) => describeAnswers(some.find((pair) => pair.release === release))),
    ]),
  ]);
}

function describeAnswers(pair: Pair | undefined): string {
  if (!pair) return "-";
  return `${answered(pair.stock)}, ${answered(pair.patched)} of ${pair.stock.turns.length}`;
}

function answered({ turns }: CaseRecord): number {
  return turns.filter((turn) => turn.answered).length;
}

/**
 * What is said of a group: how it was played, the counts, for reports the messages of each that were answered, what is
 * worse, and the exceptions that applied.
 */
export function formatSection(pairs: readonly Pair[], command: string): string {
  const failed = pairs.filter(({ findings }) => findings.length > 0);
  const excepted = new Map(
    pairs.flatMap(({ excepted: some }) => some).map((one) => [one, `- ${one.cases.source}: ${one.reason}`]),
  );
  return [
    describeMaking(command),
    formatTable(pairs),
    ...(pairs[0]?.played.group === "reports" ? [`Messages that were answered:\n\n${casesTable(pairs)}`] : []),
    failed.length === 0 ? "Nothing is worse." : `What is worse:\n\n${failed.map(describeFailure).join("\n")}`,
    excepted.size === 0 ? "No exceptions applied." : `Exceptions:\n\n${[...excepted.values()].join("\n")}`,
  ].join("\n\n");
}

function describeFailure(pair: Pair): string {
  const lines = findingLines(pair).map((line) => `  - ${line.replaceAll("|", "\\|")}`);
  return [`- ${pair.played.title}: \`${replayCommand(pair)}\``, ...lines].join("\n");
}

/** What a failure is understood by: the findings, the command, and the requests of both. */
export function formatJson(pairs: readonly Pair[]): string {
  const failed = pairs.filter(({ findings }) => findings.length > 0);
  const told = failed.map((pair) => ({
    case: caseName(pair.played),
    title: pair.played.title,
    report: pair.played.report,
    group: pair.played.group,
    release: pair.release,
    command: replayCommand(pair),
    findings: pair.findings,
    messages: pair.played.turns.map(({ message }) => message),
    stock: pair.stock.turns,
    patched: pair.patched.turns,
  }));
  return `${JSON.stringify(told, null, 2)}\n`;
}
