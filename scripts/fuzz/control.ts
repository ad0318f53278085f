import { RELEASES, type Release } from "../../src/patching/base/releases.ts";
import { recordBodies, startPair, Unanswered, type Pair } from "./pair.ts";
import { markdownTable } from "./table.ts";
import { capturedSessions, healthySessions, type HealthySession } from "./sessions.ts";
import type { ModelApi } from "../../harness/corpus/case.ts";
import { describeMaking } from "../measured/making.ts";

/** One session of the control group. */
export interface Compared {
  session: HealthySession;
  requests: number;
  bytes: number;
  /** Where the two first differ, with what stands there on either side; undefined when every byte is the same. */
  difference?: string;
  /** Why a captured session has no answer without the patch: there is nothing to compare then. */
  refused?: string;
}

function findDifference(left: readonly string[], right: readonly string[]): string | undefined {
  if (left.length !== right.length) return `${left.length} requests against ${right.length}`;
  for (const [index, a] of left.entries()) {
    const b = right[index]!;
    if (a === b) continue;
    let at = 0;
    while (a[at] === b[at]) at++;
    const around = (text: string): string => text.slice(Math.max(0, at - 60), at + 100);
    return `request ${index}, character ${at}:\n  ${around(a)}\n  ${around(b)}`;
  }
  return undefined;
}

/** Runs a session on both sides and compares what their providers got, byte by byte. */
async function compareSession({ left, right }: Pair, session: HealthySession): Promise<Compared> {
  let a: string[];
  try {
    a = await recordBodies(left, session);
  } catch (error) {
    if (!(error instanceof Unanswered) || !session.isCaptured) throw error;
    return { session, requests: 0, bytes: 0, refused: error.message };
  }
  const b = await recordBodies(right, session);
  const difference = findDifference(a, b);
  const bytes = a.reduce((sum, body) => sum + Buffer.byteLength(body), 0);
  return { session, requests: a.length, bytes, ...(difference === undefined ? {} : { difference }) };
}

/** The sessions for the APIs that a release has. */
type Sessions = (apis: readonly ModelApi[]) => readonly HealthySession[];

/** Compares sessions on a release, stock against patched or against another stock one. */
export async function controlGroup(
  release: Release,
  beside: "patched" | "stock",
  sessions: Sessions,
  onDone: (compared: Compared) => void = () => {},
): Promise<Compared[]> {
  const pair = await startPair(release, beside);
  const all: Compared[] = [];
  try {
    for (const session of sessions(pair.left.driver.apis)) {
      const compared = await compareSession(pair, session);
      onDone(compared);
      all.push(compared);
    }
  } finally {
    await pair.close();
  }
  return all;
}

function formatRows(release: Release, beside: string, all: readonly Compared[]): string[][] {
  const apis = [...new Set(all.map(({ session }) => session.api))].toSorted();
  return apis.map((api) => {
    const ofApi = all.filter(({ session }) => session.api === api);
    const group = ofApi.filter(({ refused }) => refused === undefined);
    const same = group.filter(({ difference }) => difference === undefined).length;
    const sum = (pick: (one: Compared) => number): string =>
      group.reduce((total, one) => total + pick(one), 0).toLocaleString("en-US");
    const lengths = ofApi.map(({ session }) => session.messages);
    const thinking = group.filter(({ session }) => session.thinking).length;
    return [
      release,
      `stock and ${beside}`,
      api,
      `${group.length}`,
      `${Math.min(...lengths)}–${Math.max(...lengths)}`,
      `${thinking}`,
      sum((one) => one.requests),
      sum((one) => one.bytes),
      `${same} of ${group.length}`,
      `${ofApi.length - group.length}`,
    ];
  });
}

const HEAD = [
  "release",
  "sessions are",
  "compared",
  "API",
  "sessions",
  "messages",
  "with thinking",
  "requests",
  "bytes",
  "identical",
  "refused without the patch",
];
/** More differences than this say nothing new. */
const SHOWN = 10;
/** How many sessions show what differs between two stock runs all the same. */
const BASELINE = 20;

/** The whole control group on every base release, and a report. */
export async function runControlGroup(
  sessions: number,
  command: string,
): Promise<{ report: string; identical: boolean }> {
  const rows: string[][] = [];
  const differences: string[] = [];
  for (const { release } of RELEASES) {
    for (const [beside, kind, draw] of [
      ["stock", "made", (apis) => healthySessions(0, Math.min(BASELINE, sessions), apis)],
      ["patched", "made", (apis) => healthySessions(0, sessions, apis)],
      ["patched", "captured", capturedSessions],
    ] satisfies [beside: "patched" | "stock", kind: string, of: Sessions][]) {
      let done = 0;
      const all = await controlGroup(release, beside, draw, ({ session, difference }) => {
        done++;
        if (done % 20 === 0) process.stderr.write(`${release}, stock and ${beside}, ${kind}: ${done}\n`);
        if (difference !== undefined)
          differences.push(`${release}, stock and ${beside}, session ${session.name}, ${session.api}: ${difference}`);
      });
      rows.push(...formatRows(release, beside, all).map(([first, ...others]) => [first!, kind, ...others]));
    }
  }
  const report = `# The unpatched control group

${describeMaking(command)}

The same ${sessions} healthy sessions (a third of them with pictures, half of those of models with signed thinking with thinking,
calls in parallel and in a row), and sessions that real installations have stored, two new messages each, through the real OpenClaw unpatched and patched; the request bodies as
the provider got them, compared byte by byte. Taken out before is only what differs between two runs of the unpatched one: the
state folder's and the installation's path, the session's id and key, and the time of day in the prompt. The lines "stock and stock" are
such runs.

${markdownTable([HEAD, ...rows])}
${
  differences.length > 0
    ? `\n## ${differences.length} differences\n\n${differences
        .slice(0, SHOWN)
        .map((one) => `- ${one}`)
        .join("\n")}\n`
    : ""
}`;
  return { report, identical: differences.length === 0 };
}
