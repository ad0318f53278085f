import { markdownTable } from "../fuzz/table.ts";
import { FAULT_KINDS, type Fault } from "./judge.ts";
import type { Tally } from "./tally.ts";
import { describeMaking } from "../measured/making.ts";

/** A run of the command on one release, and what it has found. */
export interface SoakRun {
  release: string;
  command: string;
  seed: string;
  tallies: readonly Tally[];
  /** What of the patched side stock has not. */
  worse: readonly Fault[];
}

/** A row for each side. */
export function soakTable(tallies: readonly Tally[]): string[][] {
  const head = [
    "release",
    "variant",
    "messages",
    "not taken",
    "requests",
    "faults of the provider",
    "ended",
    "disk full",
    "taken back",
    "over a channel",
    "sub-agents, of them killed",
    "API changed in a loop",
    "commands",
    ...FAULT_KINDS,
    "dead conversations",
    "resets",
    "requests too many of plain messages",
    "memory, MB: first, middle, last, most",
    "CPU, s a message",
    "first word, ms (median)",
  ];
  return [
    head,
    ...tallies.map((one) => [
      one.subject.release,
      one.subject.variant,
      ...[
        one.messages,
        one.notTaken,
        one.requests,
        one.faultsPlayed,
        one.kills,
        one.fills,
        one.rewinds,
        one.overChannel,
      ].map(String),
      `${one.agents}, ${one.killedAgents}`,
      ...[one.turnsOver, one.commands].map(String),
      ...FAULT_KINDS.map((kind) => String(one.found[kind])),
      `${one.dead} of ${one.conversations}`,
      String(one.resets),
      `${one.extraRequests} of ${one.plain}`,
      describeMemory(one),
      describeCpu(one),
      describeFirstWord(one),
    ]),
  ];
}

/** The page with the newest run of each release: those of other releases stay as they are in the page so far. */
export function soakPage(page: string, runs: readonly SoakRun[]): string {
  const [, ...old] = page.split(/^(?=## )/m);
  const sections = new Map([
    ...old.map((section): [string, string] => [sectionTitle(section), section.trim()]),
    ...runs.map((run): [string, string] => [`## OpenClaw ${run.release}`, formatSection(run)]),
  ]);
  return `${INTRODUCTION}\n\n${[...sections.values()].join("\n\n")}\n`;
}

const INTRODUCTION = `# Soak: real use, stock and patched as twins

Real gateways, stock and patched at the same time: each conversation has the same random actions on both (messages with up to three rounds of tools, a
second message in the middle, stop, another model, compaction, a sub-agent, a picture, a rewind, kill -9 or SIGTERM of the gateway, a disk that takes nothing for
up to a minute), one conversation of three over a channel, and three of ten messages meet a fault of the provider (broken
streams, a proxy that lets nothing through, 429, 500, 502, 503, 529, refusals, content filters, nonsense). Then each conversation is asked twice more, with nothing in the way.

- *not taken*: the gateway has refused the message, or has said that a stop came before it.
- *sub-agents, of them killed*: each runs a command; the gateway was killed before its last word.
- *API changed in a loop*: the request with a result of a message went to another API than the one before it, by a fallback or a switch.
- *message lost*: the gateway has acknowledged it, no accepted request has it, and no text that a person was shown names it.
- *stopped unread*: the same of a message whose run the person has stopped or interrupted.
- *message forgotten*, *result forgotten*: an accepted request had it, the last one has not, and no request for a summary had it. A result that a
  filter has refused twice is not forgotten where a notice that says so stands in its place.
- *no word*: a message with neither an answer nor a text nor an error. *Rule broken*: by the API's rules, of the strict provider.
- *incident of the guard*: the guard itself has found that something said is gone (patched only).
- *dead conversation*: the model does not answer its last message. *Reset*: OpenClaw has given a conversation another session.
- *plain message*: nothing is done beside it or goes wrong; a sub-agent of it reports in a request of its own.`;

function sectionTitle(section: string): string {
  return section.split("\n", 1)[0] ?? "";
}

function formatSection({ release, command, seed, tallies, worse }: SoakRun): string {
  return `## OpenClaw ${release}

${describeMaking(command, `seed \`${seed}\``)}

${markdownTable(soakTable(tallies))}

What patched has and stock has not, by message:

${formatFaults(worse)}`;
}

/** One line for each fault. */
export function faultLine({ kind, conversation, action, detail }: Fault): string {
  const place = action === undefined || action === Infinity ? conversation : `${conversation} action ${action}`;
  // OpenClaw's errors name the folder of the run.
  return `${place}: ${kind}: ${detail.replaceAll(/\/[^\s"]*\/soak-[\w.-]+\//g, "")}`;
}

/** One line for each different fault, with how often it came. */
export function faultLines(faults: readonly Fault[]): string[] {
  return [...Map.groupBy(faults, faultLine)].map(([line, { length }]) =>
    length === 1 ? line : `${line} (${length} times)`,
  );
}

function formatFaults(faults: readonly Fault[]): string {
  return faults.length === 0
    ? "Nothing."
    : faultLines(faults)
        .map((line) => `- ${line}`)
        .join("\n");
}

function describeMemory({ samples }: Tally): string {
  if (samples.length === 0) return "not known";
  const megabytes = samples.map(({ bytes }) => Math.round(bytes / 2 ** 20));
  const at = (place: number): number => megabytes[Math.floor(place * (megabytes.length - 1))] ?? 0;
  return [at(0), at(0.5), at(1), megabytes.reduce((most, one) => Math.max(most, one), 0)].join(", ");
}

/** Seconds of the processor for each message. */
function describeCpu({ samples, messages }: Tally): string {
  const last = samples.at(-1);
  return last === undefined || messages === 0 ? "not known" : (last.cpuMs / 1000 / messages).toFixed(2);
}

function describeFirstWord({ firstWords }: Tally): string {
  const times = firstWords.map(([, ms]) => ms).toSorted((a, b) => a - b);
  return times.length === 0 ? "none" : String(times[Math.floor(times.length / 2)]);
}
