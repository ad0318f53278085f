import { type Change, type FileVersion, LINK, sameVersion, type Version } from "../git/trees.ts";

/** How conflicts are decided: `theirs` keeps what others have written, `ours` takes the version of the place. */
export type Decision = "theirs" | "ours";

/** A step whose changes are taken back, with what other agents changed while it ran. */
export interface TakenBack {
  readonly changes: readonly Change[];
  /** Paths that another session changed while the step ran: whose change it is cannot be told. */
  readonly shared: ReadonlySet<string>;
}

/** What becomes of one file. */
export interface Outcome {
  readonly path: string;
  readonly present: Version;
  readonly result: Version;
  /** `merged`: someone else's change stays in the file. `conflict`: nothing is done unless it is decided. */
  readonly how: "restored" | "merged" | "conflict";
  /** The version at the place, whatever others did. */
  readonly wanted: Version;
}

/** Merges three versions of a text; undefined when they conflict or are no texts. */
export type Merge = (present: FileVersion, base: FileVersion, wanted: FileVersion) => Promise<FileVersion | undefined>;

/**
 * Takes the changes of agents back, the newest step first, from the present files. What nobody else touched becomes the
 * version before the first of the steps; what someone else changed is merged or is a conflict; what no agent changed is
 * not among the outcomes. Files that stand already as they should are not either.
 */
export async function takeBack(
  steps: readonly TakenBack[],
  present: ReadonlyMap<string, FileVersion>,
  merge: Merge,
): Promise<Outcome[]> {
  const paths = new Map<string, { result: Version; wanted: Version; how: Outcome["how"] }>();
  for (const { changes, shared } of steps.toReversed()) {
    for (const { path, before, after } of changes) {
      const state = paths.get(path) ?? { result: present.get(path), wanted: undefined, how: "restored" };
      paths.set(path, state);
      state.wanted = before;
      if (shared.has(path) && !sameVersion(present.get(path), before)) state.how = "conflict";
      if (state.how === "conflict" || sameVersion(state.result, before)) continue;
      if (sameVersion(state.result, after)) {
        state.result = before;
        continue;
      }
      const merged =
        state.result && after && before ? await mergeVersions(state.result, after, before, merge) : undefined;
      if (merged === undefined) state.how = "conflict";
      else {
        state.result = merged;
        state.how = "merged";
      }
    }
  }
  return [...paths]
    .map(([path, { result, wanted, how }]) => ({ path, present: present.get(path), result, wanted, how }))
    .filter(({ how, result, wanted, present: now }) =>
      how === "conflict" ? !sameVersion(now, wanted) : !sameVersion(now, result),
    )
    .toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
}

/** Merges content and mode, each by itself, so that a person's `chmod` and the agent's edit go together. */
async function mergeVersions(
  present: FileVersion,
  base: FileVersion,
  wanted: FileVersion,
  merge: Merge,
): Promise<FileVersion | undefined> {
  if ([present, base, wanted].some(({ mode }) => mode === LINK)) return undefined;
  const mode = present.mode === base.mode ? wanted.mode : present.mode;
  if (present.oid === base.oid) return { mode, oid: wanted.oid };
  if (base.oid === wanted.oid || present.oid === wanted.oid) return { mode, oid: present.oid };
  const merged = await merge(present, base, wanted);
  return merged && { mode, oid: merged.oid };
}
