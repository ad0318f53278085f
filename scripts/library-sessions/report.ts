import { markdownTable } from "../fuzz/table.ts";
import type { RunResult } from "./run.ts";
import { describeMaking } from "../measured/making.ts";

const LINES: readonly (readonly [string, string])[] = [
  ["sessions", "sessions"],
  ["killed", "of these, cut off by a kill and gone on with"],
  ["asked", "words of a user's"],
  ["ran", "tools started"],
  ["gave", "of these, with a result whose words can be looked for"],
  ["threw", "of these, ended by what they threw"],
  ["moved", "refusals and content filters"],
];

/** What was played, and how much of it. */
export function formatRows({ counts, kills }: RunResult): string[][] {
  return [
    ["what", "how many"],
    ...LINES.map(([kind, says]) => [says, (counts.get(kind) ?? 0).toLocaleString("en")]),
    ["processes killed (kill -9)", kills.toLocaleString("en")],
  ];
}

/** The page of one run that was asked for so many sessions. */
export function formatReport(command: string, seed: string, asked: number, result: RunResult): string {
  const { counts, faults, seconds } = result;
  const played = counts.get("sessions") ?? 0;
  const ended =
    played < asked
      ? `\n\nThe time allowed ended the run: ${played.toLocaleString("en")} of ${asked.toLocaleString("en")} sessions were played.`
      : "";
  return `# Random sessions of the library

${describeMaking(command, `seed ${seed}`, `${Math.round(seconds / 60)} min`)}${ended}

Sessions in JSONL files, half of them in Anthropic's format and half in OpenClaw's, each of a few random steps: a user speaks, a model is asked and answers, calls tools, or its
provider fails; tools give back values of any shape, throw anything, never come back or change what they were given; the same calls are given twice at once; results cannot be stored;
errors contain themselves or cannot be read; another program appends what is no message; processes are killed at random moments and others go on.

Every request was judged by the strict provider of its API (an OpenClaw session's messages through an adapter that repairs nothing, and \`gate.heal\`). At the end of each session an oracle that
knows nothing of the library looked for results and words of the user's that are not stored or not sent, for calls that ran twice, and for results that say what is not so.

${markdownTable(formatRows(result))}

${
  faults.length === 0
    ? "Nothing was wrong: no invalid request, no lost result, no false statement, no process that ended or hung, no session that could not continue."
    : `${faults.length} faults:\n\n${faults
        .slice(0, 20)
        .map((fault) => `- ${fault.slice(0, 300)}`)
        .join("\n")}`
}

A tool that throws alone leaves no trace, and a promise of a value that cannot even be looked at (its \`then\` throws) throws by itself: such values are given back at once here.
After a refusal or a content filter, words may be told in another form, be taken back or be archived: then the oracle asks only that they are stored.
`;
}
