/** Applying the patch set, taking it back, and telling which of the two is the case. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chunksWith } from "./chunks.ts";
import { refusal } from "./errors.ts";
import { GUARD_FILE } from "./guard-file.ts";
import { unmark } from "./marks.ts";
import { plan } from "./plan.ts";
import type { PatchOptions, Plan } from "./plan.ts";
import { PATCH_POINTS, PATCH_SET } from "./points.ts";
import { swapAll } from "./swap.ts";
import type { Change } from "./swap.ts";

/** What an installation is, as a whole. */
export type State = "stock" | "patched" | "half-patched" | "outdated";

/** What was done or found, for people and for --json. */
export interface Report {
  readonly root: string;
  readonly release: string;
  readonly patchSet: string;
  readonly state: State;
  /** `already` when there was nothing to do. */
  readonly action: "applied" | "completed" | "updated" | "already" | "checked";
  readonly files: readonly string[];
  /** How often each patch point is in place. */
  readonly points: Readonly<Record<string, number>>;
}

/** Applies the patch set to the OpenClaw in `root`. Applying twice is a no-op. Throws a PatchError, then nothing is changed. */
export function apply(root: string, options: PatchOptions = {}): Report {
  const planned = plan(root, options);
  const state = stateOf(planned);
  if (state === "patched") return report(planned, "patched", "already");
  const { guard, files } = planned;
  // The guard first: no patched file may ever lie beside a missing one.
  const changes: Change[] = guard.state === "current" ? [] : [{ file: guard.file, text: guard.text }];
  for (const { file, patched, state: was } of files) if (was !== "patched") changes.push({ file, text: patched });
  swapAll(root, changes);
  const actions = { stock: "applied", outdated: "updated", "half-patched": "completed" } as const;
  return report(planned, "patched", actions[state]);
}

/** Tells the state of the OpenClaw in `root`. Throws only for what can be neither patched nor stock. */
export function status(root: string, options: PatchOptions = {}): Report {
  const planned = plan(root, options);
  return report(planned, stateOf(planned), "checked");
}

/** Checks every byte of the patch. Throws `not-patched`, `half-patched` or what plan() throws. */
export function verify(root: string, options: PatchOptions = {}): Report {
  const found = status(root, options);
  if (found.state === "patched") return found;
  throw refusal(found.state === "stock" ? "not-patched" : "half-patched", {
    expected: `OpenClaw ${found.release} with the whole of patch set ${PATCH_SET} in ${root}`,
    found: { stock: "the published files", outdated: "another patch set or another guard", "half-patched": "only a part of it", patched: "" }[
      found.state
    ],
    todo: "Run: openclaw-integrity apply",
  });
}

/** Takes the patch out again, of whatever patch set it is. Returns the files that changed; none when it was not patched. */
export function revert(root: string): readonly string[] {
  const marked = chunksWith(root, ["/* openclaw-integrity:"]);
  const changes: Change[] = marked.map(({ file, text }) => {
    const { original, proven, header } = unmark(text);
    if (!proven) {
      throw refusal("openclaw-modified", {
        expected: `${file} to give its original back (sha256 ${header?.original ?? "missing"})`,
        found: "other text once our lines are taken out",
        todo: `Someone changed it after patching. Install openclaw@${header?.release ?? "(its release)"} anew; nothing was changed.`,
      });
    }
    return { file, text: original };
  });
  // The guard last: as long as one file calls it, it must be there.
  if (existsSync(join(root, GUARD_FILE))) changes.push({ file: GUARD_FILE, text: undefined });
  if (changes.length > 0) swapAll(root, changes);
  return changes.map(({ file }) => file);
}

function stateOf({ files, guard }: Plan): State {
  const states = new Set(files.map(({ state }) => state));
  if (states.has("outdated") || (!states.has("original") && guard.state === "different")) return "outdated";
  if (states.has("original") && states.has("patched")) return "half-patched";
  if (states.has("patched")) return guard.state === "current" ? "patched" : "half-patched";
  return "stock";
}

function report({ root, release, files }: Plan, state: State, action: Report["action"]): Report {
  const placed = state === "patched" ? files.flatMap(({ points }) => points) : [];
  const points = PATCH_POINTS.map(({ id }) => [id, placed.filter((point) => point === id).length] as const);
  return {
    root,
    release,
    patchSet: PATCH_SET,
    state,
    action,
    files: [...files.map(({ file }) => file), GUARD_FILE],
    points: Object.fromEntries(points),
  };
}

