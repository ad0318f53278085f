/** What a rehearsal has found, as data and as lines for the operator. */
import type { ProofReport, Rehearsed, StoreFacts } from "../../prove/index.ts";
import { shellWord } from "../../base/commands/shell-word.ts";
import { visible } from "../../base/visible.ts";
import type { Copies } from "./copies.ts";

/** All that is known when the next release has run. */
export interface Findings {
  /** The release that the operator has, and its folder. */
  readonly root: string;
  readonly release: string;
  readonly next: string;
  readonly copies: Copies;
  /** Without the patch. */
  readonly unpatched: Rehearsed;
  /** With it; the refusal where the next release cannot be patched. */
  readonly patched: (Rehearsed & { readonly proof: ProofReport }) | { readonly refusal: string };
}

/** What came of one session. */
export interface SessionOutcome {
  readonly key: string;
  /** Why it was copied. */
  readonly why: string;
  readonly unpatched: RunOutcome;
  /** Absent where the next release cannot be patched. */
  readonly patched?: RunOutcome;
}

interface RunOutcome {
  readonly passed: boolean;
  /** Nothing is known: OpenClaw gave no answer in time. */
  readonly isLate?: true;
  readonly outcome: string;
}

/** What the operator is told. */
export interface Verdict {
  /** `unknown`: nothing broke, and some session had no answer in time. */
  readonly verdict: "fine" | "breaks" | "unknown";
  readonly sessions: readonly SessionOutcome[];
  /** What changes in the form of the store, as a sentence; absent where nothing does. */
  readonly store?: string;
}

/** Judges a rehearsal: fine is an update after which every copied session is answered, with the patch where it fits. */
export function judgeRehearsal({ copies, unpatched, patched, release, next }: Findings, state: string): Verdict {
  const isPatched = "proof" in patched;
  const sessions = copies.sessions.map(({ id, key, fault: why }): SessionOutcome => ({
    key,
    why,
    unpatched: outcomeIn(unpatched, id),
    ...(isPatched && { patched: outcomeIn(patched, id) }),
  }));
  const isProven = isPatched && ["proven", "environment"].includes(patched.proof.verdict);
  const open = sessions.map((one) => one.patched ?? one.unpatched).filter(({ passed }) => !passed);
  const breaks = open.some(({ isLate }) => isLate !== true) || (isPatched && !isProven);
  const facts = isPatched ? patched.store : unpatched.store;
  const change = describeChange(copies, facts);
  return {
    verdict: breaks ? "breaks" : open.length > 0 ? "unknown" : "fine",
    sessions,
    ...(change !== undefined && {
      store:
        `its store is newer: ${change}. Going back to ${release} needs a copy that you make before the new one starts: ` +
        `cp -a ${shellWord(state)} ${shellWord(`${state}.before-${next}`)}`,
    }),
  };
}

function outcomeIn({ sessions, failure }: Rehearsed, id: string): RunOutcome {
  const found = sessions.find((one) => one.id === id);
  if (found !== undefined)
    return { passed: found.passed, outcome: found.outcome, ...(found.isLate === true && { isLate: true }) };
  return { passed: false, outcome: failure === undefined ? "not run" : "OpenClaw ended before" };
}

function describeChange({ form, version }: Pick<Copies, "form" | "version">, next: StoreFacts): string | undefined {
  if (form === "files" && next.form === "database") return "sessions move from files into a database";
  if (form === "database" && next.form === "files") return undefined;
  if (form === next.form && version !== undefined && next.version !== undefined && next.version > version)
    return `the database goes from version ${version} to ${next.version}`;
  return undefined;
}

/** What follows, in a sentence. */
export const ENDS = {
  fine: "The update would be fine, as far as this shows.",
  breaks: "The update would break something.",
  unknown: "It is not known whether the update would break something: this machine was too busy. Run it again.",
} as const;

/** The report as lines: a line or two for each session, then what follows from all. */
export function reportLines(findings: Findings, { verdict, sessions, store }: Verdict): readonly string[] {
  const { copies, release, next, patched } = findings;
  const count = `${sessions.length} of ${copies.all} sessions`;
  const bricked = sessions.filter(({ unpatched }) => !unpatched.passed).length;
  const open = sessions.filter((one) => one.patched?.passed === false).length;
  return [
    `OpenClaw ${next} was rehearsed beside ${release}, with copies of ${count}`,
    ...sessions.flatMap(sessionLines),
    ...endLines(findings),
    bricked === 0
      ? `  without the patch: all ${sessions.length} would be answered`
      : `  without the patch: ${bricked} of ${sessions.length} would not be answered as they should`,
    ...("refusal" in patched
      ? [`  the patch does not fit this release: ${patched.refusal}`]
      : [
          open === 0
            ? `  with the patch: all ${sessions.length} are answered, with their history`
            : `  with the patch: ${open} of ${sessions.length} would not be answered as they should`,
          `  proof: ${patched.proof.sentence}`,
        ]),
    ...(copies.unread > 0 ? [`  not tried: ${copies.unread} sessions that could not be read`] : []),
    ...(store === undefined ? [] : [`  ${store}`]),
    ENDS[verdict],
    "Tried with one model API, and without your config, plugins and channels.",
  ].map(visible);
}

/** The end of OpenClaw at its start, which is no session's alone. */
function endLines({ unpatched, patched }: Findings): readonly string[] {
  const ends = [
    ["without the patch", unpatched],
    ["with the patch", "proof" in patched ? patched : undefined],
  ] as const;
  return ends.flatMap(([how, run]) =>
    run?.failure === undefined || run.sessions.length > 0 ? [] : [`  ${how}: ${run.failure}`],
  );
}

function sessionLines({ key, why, unpatched, patched }: SessionOutcome): readonly string[] {
  const { passed, isLate } = patched ?? unpatched;
  const mark = passed ? "ok    " : isLate === true ? "late  " : "BROKEN";
  const words =
    patched === undefined || unpatched.passed === patched.passed
      ? [(patched ?? unpatched).outcome]
      : patched.passed
        ? [`without the patch: ${unpatched.outcome}`, `with it: ${patched.outcome}`]
        : [`with the patch: ${patched.outcome}`, `without it: ${unpatched.outcome}`];
  return [`  ${mark}  ${key} (${why})`, ...words.map((line) => `          ${line}`)];
}
