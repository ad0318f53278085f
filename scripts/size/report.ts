import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { markdownTable } from "../fuzz/table.ts";
import type { Grown, Turn } from "./conversation.ts";
import type { Found } from "./histories.ts";
import { ROWS } from "./rows.ts";
import type { Outcome } from "./table.ts";
import { describeMaking } from "../measured/making.ts";

const PAGE = fileURLToPath(new URL("../../results/size.md", import.meta.url));

const number = new Intl.NumberFormat("en-US");

function percent(part: number, all: number): string {
  return all === 0 ? "none" : `${((part / all) * 100).toFixed(1)} %`;
}

function list(lines: readonly string[]): string {
  return lines.length > 0 ? `\n${lines.map((line) => `- ${line}\n`).join("")}` : "";
}

function section(title: string, command: string, text: string): string {
  return `## ${title}\n\n${describeMaking(command)}\n\n${text}`;
}

function sectionTitle(text: string): string {
  return text.slice(0, text.indexOf("\n"));
}

/** Puts parts into the page results/size.md, each in place of the one with its title, else at the end. */
export function writeParts(parts: readonly string[]): void {
  const [head = "", ...before] = readFileSync(PAGE, "utf8").split(/^(?=## )/m);
  const page = new Map(before.map((text) => [sectionTitle(text), text.trimEnd()]));
  for (const text of parts) page.set(sectionTitle(text), text.trimEnd());
  writeFileSync(PAGE, `${[head.trimEnd(), ...page.values()].join("\n\n")}\n`);
}

/** The part of the page about random histories. */
export function fitPart(command: string, found: Found): string {
  const faults = [...found.faults].map(
    ([what, nths]) => `${what}: ${nths.length}, first ${nths.slice(0, 5).join(", ")}`,
  );
  const table = markdownTable([
    ["what", "number"],
    ["histories", number.format(found.histories)],
    ["larger than their budget", number.format(found.fitted)],
    ["whose newest question has to be whole", number.format(found.questions)],
    [
      "of which anything did not hold",
      number.format([...found.faults.values()].reduce((all, { length }) => all + length, 0)),
    ],
    ["requests above the budget that were followed", number.format(found.requests)],
    ["that begin with the whole request before", percent(found.whole, found.requests)],
    ["bytes of a request that begin the next one as well", percent(found.common, found.bytes)],
  ]);
  return section(
    "Random histories, random budgets",
    command,
    `Each history is made to fit a budget in characters, bytes, both, or messages (\`fit\`, src/recovery/size/fit.ts), every
third one in Anthropic's own form. It has to fit, be valid, hold no half of a character, be the same when it is fitted
again, and hold the newest question whole where that fits beside 12,000 characters. Every two-hundredth is followed from
request to request while it grows.

${table}
${list(faults)}`,
  );
}

/** The part of the page about sessions that are too large, all of one release and variant. */
export function tablePart(command: string, outcomes: readonly Outcome[]): string {
  const { release, variant } = outcomes[0] ?? { release: "?", variant: "?" };
  const apis = [...new Set(outcomes.map(({ api }) => api))];
  const rows = ROWS.flatMap(({ name, what }) => {
    const of = outcomes.filter(({ row }) => row === name);
    return of.length === 0 ? [] : [[name, what, ...apis.map((api) => formatCell(of.find((one) => one.api === api)))]];
  });
  const all = outcomes.length;
  const first = outcomes.filter(({ answered }) => answered[0]).length;
  const kept = outcomes.filter(({ marks, found }) => marks === found).length;
  const extracts = ROWS.flatMap(({ name }) => {
    const of = outcomes.filter((one) => one.row === name && one.extracts > 0);
    return of.length === 0 ? [] : [of.length < apis.length ? `${name} (${of.map(({ api }) => api).join(", ")})` : name];
  });
  const replaced =
    extracts.length === 0
      ? ""
      : ` An\nextract of the guard is stored in place of a summary, or below what was written of one: ${extracts.join(", ")}.`;
  const failures = outcomes.flatMap(({ api, row, failures: said }) =>
    said.map((text) => `${row}, ${api}: ${text.replaceAll(/\s+/g, " ").slice(0, 300)}`),
  );
  return section(
    `Sessions that are too large: OpenClaw ${release}, ${variant}`,
    command,
    `Three messages are sent to each session, stored and sent anew for each API, whose own words and form the refusals have.
A cell: messages answered, of 3; requests, and of these refused ones. "first not": the first message was not answered.
"lost": marks at the beginnings and ends of all original texts that the store does not hold afterwards. "-": this API has
no such limit. Tokens are four characters each, a picture is 1,600.

${markdownTable([["row", "the session", ...apis], ...rows])}

Answered in the first turn: ${first} of ${all}. All originals in the store afterwards: ${kept} of ${all}.${replaced}
${list(failures)}`,
  );
}

function formatCell(outcome: Outcome | undefined): string {
  if (!outcome) return "-";
  const { answered, requests, refused, marks, found } = outcome;
  const count = answered.filter(Boolean).length;
  const first = answered[0] ? "" : ", first not";
  const lost = marks === found ? "" : `, ${marks - found} of ${marks} lost`;
  return `${count}${first}${lost}; ${requests}, ${refused}`;
}

function sum(turns: readonly Turn[], pickNumber: (turn: Turn) => number): number {
  return turns.reduce((total, turn) => total + pickNumber(turn), 0);
}

/** The part of the page about a conversation that grows, of one release. */
export function growthPart(command: string, release: string, grown: readonly Grown[]): string {
  const rows = grown.map(({ variant, api, summariser, turns }) => [
    variant,
    api,
    summariser,
    `${turns.filter(({ isAnswered }) => isAnswered).length} of ${turns.length}`,
    String(sum(turns, ({ requests }) => requests)),
    String(sum(turns, ({ summaries }) => summaries)),
    String(sum(turns, ({ refused }) => refused)),
    `${turns[Math.min(4, turns.length - 1)]?.megabytes} / ${turns[turns.length >> 1]?.megabytes} / ${turns.at(-1)?.megabytes}`,
    (sum(turns, ({ ms }) => ms) / turns.length / 1000).toFixed(1),
  ]);
  const failures = grown.flatMap(({ variant, api, summariser, firstFailure }) =>
    firstFailure === undefined ? [] : [`${variant}, ${api}, summariser ${summariser}, ${firstFailure}`],
  );
  return section(
    `A conversation that grows: OpenClaw ${release}`,
    command,
    `Each message adds 20,000 tokens; the provider takes 32,000, as its model declares. The real OpenClaw; memory is that
of its process behind the fifth turn, the middle one and the last one.

${markdownTable([
  [
    "OpenClaw",
    "API",
    "summariser",
    "answered",
    "requests of turns",
    "for summaries",
    "refused",
    "memory, MB",
    "s a turn",
  ],
  ...rows,
])}
${list(failures)}`,
  );
}
