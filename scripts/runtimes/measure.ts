import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProvider } from "../../harness/providers/index.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import { makeFront, mayBeUnseen, REFUSED } from "./cases.ts";
import { makeProject } from "./project.ts";
import { findRuntime, RUNTIMES, type Lines, type Runtime } from "./runtimes.ts";

/** What one runtime did, beside the first one. */
export interface Measured {
  readonly name: string;
  /** Undefined where the runtime is not on this machine. */
  readonly version?: string;
  /** What kind of file it is given. */
  readonly given?: string;
  /** How many lines of each part are the same as those of the first runtime, of how many. */
  readonly same: Readonly<Record<string, readonly [same: number, all: number]>>;
  /** Of all lines; equal for equal results. */
  readonly hash?: string;
  /** The error of a runtime that ended with one, lines that are not as promised, and the first that differ. */
  readonly faults: readonly string[];
}

/** The parts of the program, and what the provider has received of its requests. */
export const PARTS = ["lists", "bodies", "answers", "aborts", "received"] as const;

/** Runs the program in each runtime that is there, and compares the lines with those of the first. */
export async function measureRuntimes(
  names: readonly (typeof RUNTIMES)[number][],
  say: (line: string) => void,
): Promise<Measured[]> {
  const outer = mkdtempSync(join(tmpdir(), "runtimes-"));
  const measured: Measured[] = [];
  let first: Lines | undefined;
  try {
    const project = await makeProject(outer);
    for (const name of names) {
      const runtime = findRuntime(name, project);
      const lines = runtime ? await runIn(runtime).catch((error: unknown) => String(error)) : undefined;
      if (typeof lines === "object") first ??= lines;
      const one = compare(name, runtime, { lines, first });
      measured.push(one);
      say(toRow(one).join(", "));
    }
  } finally {
    rmSync(outer, { recursive: true, force: true, maxRetries: 5 });
  }
  return measured;
}

/** A row of the table. */
export function toRow({ name, version, given, same, hash }: Measured): string[] {
  const cells = PARTS.map((part) => {
    const [equal, all] = same[part] ?? [];
    return all === undefined ? "–" : equal === all ? `${all}` : `${equal} of ${all}`;
  });
  return [name, version ?? "absent", given ?? "–", ...cells, hash?.slice(0, 12) ?? "–"];
}

async function runIn(runtime: Runtime): Promise<Lines> {
  // A new one for each: the ids in its answers count on.
  const provider = await startProvider();
  provider.front(makeFront());
  try {
    const lines = await runtime.run(provider.url);
    const received = provider.requests
      .filter(({ raw }) => !mayBeUnseen(raw))
      .map(({ path, headers, raw, status }) =>
        // A request is refused where that was asked for, and nowhere else.
        JSON.stringify([
          status === 200 || raw.includes(REFUSED),
          path,
          headers["content-type"],
          headers["x-of-program"],
          raw,
        ]),
      );
    return { ...lines, received };
  } finally {
    await provider.close();
  }
}

function compare(
  name: string,
  runtime: Runtime | undefined,
  { lines, first }: { lines: Lines | string | undefined; first: Lines | undefined },
): Measured {
  if (!runtime) return { name, same: {}, faults: [] };
  const { version, given } = runtime;
  if (typeof lines !== "object" || !first) return { name, version, given, same: {}, faults: [String(lines)] };
  const same: Record<string, readonly [number, number]> = {};
  const faults: string[] = [];
  for (const part of PARTS) {
    const [ours, wanted] = [lines[part] ?? [], first[part] ?? []];
    const wrong = [...wanted.keys()].filter((at) => ours[at] !== wanted[at]);
    same[part] = [wanted.length - wrong.length, wanted.length];
    if (ours.length !== wanted.length) faults.push(`${part}: ${ours.length} lines, not ${wanted.length}`);
    for (const line of ours) if (!line.startsWith("[true,")) faults.push(`${part}: ${line.slice(0, 300)}`);
    for (const at of wrong.slice(0, 3)) faults.push(`${part} ${at}: ${showDifference(ours[at] ?? "", wanted[at]!)}`);
  }
  return {
    name,
    version,
    given,
    same,
    hash: sha256(PARTS.map((part) => lines[part]?.join("\n")).join("\n\n")),
    faults,
  };
}

function showDifference(found: string, wanted: string): string {
  let at = 0;
  while (at < wanted.length && found[at] === wanted[at]) at++;
  const [ours, theirs] = [found, wanted].map((text) => text.slice(Math.max(0, at - 60), at + 140));
  return `…${ours}…, the first one …${theirs}…`;
}
