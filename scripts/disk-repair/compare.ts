import { markdownTable } from "../fuzz/table.ts";
import { isBricked, isGood } from "../start/judge.ts";
import type { RunRecord } from "../start/record.ts";
import { describeMaking } from "../measured/making.ts";

/** What became of a session. */
export type Outcome = "bricked" | "answered, not whole" | "answered";

/** A case before and after its repair. */
export interface Compared {
  release: string;
  id: string;
  report: string;
  api: string;
  before: Outcome;
  /** The same as before when there was nothing to repair. */
  after: Outcome;
  isRepaired: boolean;
  /** After the repair that the Layer 0 specification gives; undefined where it was not run. */
  specified?: Outcome;
  /** Why it is not answered as a whole. */
  why?: string;
  isWorse: boolean;
}

const OUTCOMES: readonly Outcome[] = ["bricked", "answered, not whole", "answered"];

/** Compares the runs of a case; without a second one there was nothing to repair. */
export function compare(
  release: string,
  before: RunRecord,
  { repaired, specified }: { readonly repaired?: RunRecord; readonly specified?: RunRecord },
): Compared {
  const { id, report, api } = before.job;
  const after = repaired ?? before;
  const { error, lost = [], unwanted } = after.verdict;
  const why = [error, ...lost.map((text) => `without "${text}"`), ...unwanted.map((text) => `with "${text}"`)]
    .filter((part) => part !== undefined)
    .join("; ");
  return {
    release,
    id,
    report,
    api,
    before: judgeOutcome(before),
    after: judgeOutcome(after),
    isRepaired: repaired !== undefined,
    ...(specified && { specified: judgeOutcome(specified) }),
    ...(judgeOutcome(after) !== "answered" && { why }),
    isWorse: OUTCOMES.indexOf(judgeOutcome(after)) < OUTCOMES.indexOf(judgeOutcome(before)),
  };
}

function judgeOutcome({ verdict }: RunRecord): Outcome {
  if (isBricked(verdict)) return "bricked";
  return isGood(verdict) ? "answered" : "answered, not whole";
}

/** How many cases had which outcome. */
export function outcomeTable(compared: readonly Compared[]): string[][] {
  const release = compared[0]?.release ?? "";
  const count = (which: (one: Compared) => boolean): string => String(compared.filter(which).length);
  return [
    ["release", "cases", ...OUTCOMES],
    [
      `${release}, as stored`,
      String(compared.length),
      ...OUTCOMES.map((outcome) => count(({ before }) => before === outcome)),
    ],
    [
      `${release}, repaired on the disk`,
      String(compared.length),
      ...OUTCOMES.map((outcome) => count(({ after }) => after === outcome)),
    ],
    ...(compared.every(({ specified }) => specified === undefined)
      ? []
      : [
          [
            `${release}, repaired as the specification says`,
            String(compared.length),
            ...OUTCOMES.map((outcome) => count(({ specified }) => specified === outcome)),
          ],
        ]),
  ];
}

/** The page with the results. */
export function markdown(compared: readonly Compared[], command: string): string {
  const releases = [...new Set(compared.map(({ release }) => release))];
  const left = compared.filter(({ after }) => after !== "answered");
  const rows = left.map(({ release, id, report, api, before, after, isRepaired, why = "" }) => [
    release,
    `${id} (${report})`,
    api,
    before,
    isRepaired ? after : `${after}; nothing to repair in the store`,
    why.replaceAll("|", "\\|").slice(0, 160),
  ]);
  return [
    "# Repair on the disk, for an OpenClaw without the patch",
    "",
    `${describeMaking(command)} Each corpus case on one of its APIs, through the unpatched OpenClaw and a strict provider: as it is`,
    "stored, and after `openclaw-integrity sessions repair`. A repair reorders and leaves out; it never invents a result. The repair of the Layer 0",
    "specification removes results that do not stand behind their call, and calls without a result; it is run where sessions are files.",
    "",
    ...releases.flatMap((release) => [
      markdownTable(outcomeTable(compared.filter((one) => one.release === release))),
      "",
    ]),
    "## What a repair of the store cannot do",
    "",
    "Most of these are what a provider's own rules ask for and no store can know (ids, signatures, roles), or what OpenClaw does to a history on its",
    "way; the patch heals them where the request is made.",
    "",
    markdownTable([["release", "case", "API", "as stored", "repaired", "why"], ...rows]),
    "",
  ].join("\n");
}
