import { CLAIMS, findFaults, wordsUpTo, type Claim } from "./checks.ts";
import { distinct, type Played } from "./played.ts";
import { describePlan } from "./plan.ts";
import type { RunOutcome } from "./run.ts";
import type { Counts } from "./tally.ts";
import { describeMaking } from "../measured/making.ts";

const MOST_SHOWN = 8;
const NAMES = Object.keys(CLAIMS) as Claim[];
const HEAD = ["", "providers", "refused turns", "answerable", "answered", "most requests", "most behind", ...NAMES];

function row(name: string, counts: Counts): string[] {
  const { providers, refused, answerable, answered, most, mostBehind, faults } = counts;
  return [name, ...[providers, refused, answerable, answered, most, mostBehind].map(String)].concat(
    NAMES.map((claim) => String(faults[claim] ?? 0)),
  );
}

function table(groups: Iterable<[string, Counts]>): string {
  const rows = [...groups].toSorted(([a], [b]) => a.localeCompare(b)).map(([name, counts]) => row(name, counts));
  return [HEAD, HEAD.map(() => "-"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The tables of a run. */
export function formatTables({ tally, seconds }: RunOutcome): string {
  return [
    table([["all", tally.all]]),
    table(tally.byWay),
    table(tally.byRule),
    table(tally.byWording),
    `${Math.round(seconds)} s, ${tally.all.failed} not played`,
  ].join("\n\n");
}

/** The page of a run. */
export function formatReport(command: string, outcome: RunOutcome): string {
  const { tally, failures, seconds } = outcome;
  return `# Providers that refuse by a hidden rule

${describeMaking(command, `${Math.round(seconds)} s`)}

Each provider has a rule that nobody was told, on any part of a request, and refuses with any status, in any words, with or
without a place. Each is put behind the real guard (OpenClaw of both base releases, patched, and the library's \`guardCall\`),
in front of the strict provider of its API, with a stored conversation of 20 to 120 messages with a marked word in each part.
A person sends two to five messages while the rule is in force, with a pause behind each, some with a kill behind one, then
one or two at the old endpoint, which takes everything. Words of sizes (too long) are left out: OpenClaw itself then makes a
summary of the conversation.

OpenClaw's pauses before it asks again, and the guard's second before a search, are shortened; how often they ask is not. What
OpenClaw and the SDKs repeat by themselves is allowed for as measured at most (up to 12 requests), so that *requests* is lenient. At
the endpoint that had the rule, once it is lifted, words that were left out are not judged, unless the rule was the whole, or
chance and no search was made: nothing tells chance from a rule as long as all answers could be those of one.

- *refused turns*: turns of which the provider refused a request; *answerable*: of these, the ones in which it takes the
  person's last message alone, judged by its own rule; *answered*: of these, with an answer of the model.
- *most requests*: of one turn until its answer, without what an SDK sends again on its own; *most behind*: of the requests
  behind a turn.
- The last columns count the providers of which a claim did not hold:
${NAMES.map((claim) => `  - *${claim}*: ${CLAIMS[claim]}`).join("\n")}

## All

${table([["all", tally.all]])}

## By release and API

${table(tally.byWay)}

## By rule

${table(tally.byRule)}

## By wording

${table(tally.byWording)}

## Failures

${failures.length === 0 ? "None." : pickFailures(failures)}
`;
}

/** Failures of each claim, as many as a person reads; the command shows all. */
function pickFailures(failures: readonly string[]): string {
  const groups = Object.values(Object.groupBy(failures, (failure) => failure.slice(0, failure.indexOf(":"))));
  return groups
    .flatMap((group = []) => [
      ...group.slice(0, MOST_SHOWN).map((failure) => `- ${failure}`),
      ...(group.length > MOST_SHOWN ? [`- and ${group.length - MOST_SHOWN} more of this claim`] : []),
    ])
    .join("\n");
}

/** The turns of one provider, for a person who looks for the reason of a failure. */
export function formatPlayed(played: Played): string {
  const { plan, turns, archived } = played;
  const lines = [`${plan.nth}: ${describePlan(plan)}`, `words: ${plan.wording.words}`];
  for (const [at, turn] of turns.entries()) {
    lines.push(
      `turn ${at}, ${turn.phase}: ${turn.answered ? "answered" : "not answered"} after ${turn.ms} ms: ${JSON.stringify(turn.text)}`,
    );
    const words = wordsUpTo(played, at);
    for (const [name, requests] of [
      ["request", turn.requests],
      ["behind", turn.behind],
    ] as const)
      for (const { status, raw, error } of requests) {
        const sent = words.filter((mark) => raw.includes(mark)).length;
        const said = error === undefined ? "" : ` ${error.slice(0, 160)}`;
        lines.push(`  ${name} ${status}, ${raw.length} characters, ${sent} of ${words.length} words${said}`);
      }
    if (turn.requests.length > 3) lines.push(`  ${distinct(turn.requests).length} different requests`);
  }
  for (const name of archived) lines.push(`archived ${name}`);
  return [...lines, ...findFaults(played).map(({ claim, text }) => `FAULT ${claim}: ${text}`)].join("\n");
}
