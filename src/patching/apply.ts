/** Applies the patch set, reverts it, and reports the state of an installation. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fork } from "./locate/fork.ts";
import { chunksWith, type ChunkText } from "./locate/chunks.ts";
import { patchError } from "./base/errors.ts";
import { GUARD_FILE, isWaiting, WAITING_GUARD } from "./base/guard-file.ts";
import { sha256 } from "./base/hash.ts";
import { type Installation, readInstallation } from "./find/installation.ts";
import { manifestIn } from "./find/package.ts";
import { inventories, listedDigests } from "./write/inventory.ts";
import { assertOwnDist, linkedDist } from "./find/linked-dist.ts";
import { MARK, unmark } from "./base/marks.ts";
import { plan, type PatchOptions, type Plan } from "./plan.ts";
import { PATCH_POINTS, PATCH_SET } from "./points/index.ts";
import { readChunks, type SurveyedChunk } from "./locate/survey.ts";
import { stageFolder, swapAll, type Change } from "./write/swap.ts";
import { ownCommand } from "../base/commands/own-command.ts";

/**
 * State of an installation as a whole. `half-patched` is the state after an interrupted apply or revert: OpenClaw runs,
 * with the patch or without it, and either command finishes the work.
 */
export type State = "stock" | "patched" | "half-patched" | "outdated";

/** Result of a command, as text for users and for --json. */
export interface Report {
  readonly root: string;
  readonly release: string;
  /** Real path of dist, when dist is a symbolic link that leads out of the package. */
  readonly linkedDist?: string;
  /** False when the release is not in releases/releases.json and was judged by its code alone. */
  readonly known: boolean;
  readonly patchSet: string;
  readonly state: State;
  /** `already` when there was nothing to do. */
  readonly action: "applied" | "completed" | "updated" | "already" | "checked";
  readonly files: readonly string[];
  /** Number of copies in place, by patch point. */
  readonly points: Readonly<Record<string, number>>;
  /** What differs from the published OpenClaw, in a fork. */
  readonly fork?: Fork;
  /** Patch points that do not fit this release, and why. */
  readonly leftOut: readonly { readonly point: string; readonly reason: string }[];
}

/** Options of apply and revert. */
export interface SwapOptions {
  /** Allows a dist that is a symbolic link out of the package. */
  readonly followLinks?: boolean | undefined;
  /** Called at every step of the swap; tests kill the process there. */
  readonly onStep?: () => void;
}

/**
 * Applies the patch set to the OpenClaw in `root`. Applying twice is a no-op. Throws a PatchError, and then nothing was
 * changed.
 */
export function apply(root: string, options: PatchOptions & SwapOptions = {}): Report {
  const planned = plan(root, options);
  const state = toState(planned);
  if (state === "patched") return report(planned, "patched", "already");
  assertOwnDist(root, options.followLinks ?? false);
  const { guard, files, lists } = planned;
  // The lists come first: as soon as a chunk has its lines, OpenClaw's postinstall must not delete the guard.
  const changes = [...lists, ...files].flatMap(({ file, patched, state: was }) =>
    was === "patched" ? [] : [{ file, text: patched }],
  );
  swapAll(root, underWaitingGuard(changes, guard.text), options.onStep, () => checkUnchanged(planned));
  const actions = { stock: "applied", outdated: "updated", "half-patched": "completed" } as const;
  return report(planned, "patched", actions[state]);
}

/** Throws `busy` when an update has replaced the files since they were read: the plan would mix two releases. */
function checkUnchanged({ root, release, files, lists }: Plan): void {
  const isNow = manifestIn(root)?.version;
  const changed = [...lists, ...files].find(({ file, original, patched, state }) => {
    const text = readFileSync(join(root, file), "utf8");
    return state === "outdated" ? text === original : text !== (state === "original" ? original : patched);
  });
  if (isNow === release && changed === undefined) return;
  throw patchError("busy", {
    expected: `the files of OpenClaw ${release} in ${root}, as they were read a moment ago`,
    found: isNow === release ? `another ${changed?.file}` : `OpenClaw ${isNow ?? "of no version"}`,
    todo: "An update is at work. Run it again when the update is done; nothing was changed.",
  });
}

/** Returns the state of the OpenClaw in `root`. Throws what {@link plan} throws. */
export function status(root: string, options: PatchOptions = {}): Report {
  const planned = plan(root, options);
  return report(planned, toState(planned), "checked");
}

/** Checks every byte of the patch. Throws `not-patched`, `half-patched` or what {@link plan} throws. */
export function verify(root: string, options: PatchOptions = {}): Report {
  const found = status(root, options);
  if (found.state === "patched") return found;
  throw patchError(found.state === "stock" ? "not-patched" : "half-patched", {
    expected: `OpenClaw ${found.release} with the whole of patch set ${PATCH_SET} in ${root}`,
    found: {
      stock: "the published files",
      outdated: "another patch set, another guard, or a patched file that was changed since",
      "half-patched": "only a part of it",
      patched: "",
    }[found.state],
    todo: `Run: ${ownCommand("apply")}`,
  });
}

/**
 * Removes the patch, whatever version it has. Returns the files that changed, none when it was not patched. Throws
 * `openclaw-missing`, `openclaw-linked`, `openclaw-modified` for a patched file whose original cannot be recovered,
 * `outcome-invalid` for one that is not UTF-8, and what {@link swapAll} throws.
 */
export function revert(root: string, options: SwapOptions = {}): readonly string[] {
  const installation = readInstallation(root);
  const chunks = chunksWith(root, [MARK]).map(readOriginal);
  // After a kill the lists may contain the patched digest of a chunk that never got its lines.
  const otherFiles = isUnfinished(root)
    ? readChunks(root).filter(({ file }) => !chunks.some((chunk) => chunk.file === file))
    : [];
  const wrong = otherFiles.length === 0 ? new Set() : wronglyListed(installation, otherFiles);
  const listed = [...chunks, ...otherFiles].map(({ file, original, header }) => ({
    file,
    original,
    patched: original,
    isUnlisted: header ? header.unlisted === true : wrong.has(file),
  }));
  const lists = inventories(root, [...listed, { file: GUARD_FILE, original: undefined, patched: "" }]).filter(
    ({ text, original }) => text !== original,
  );
  const changed = [...chunks, ...lists];
  const isThere = [join(root, GUARD_FILE), stageFolder(root)].some((file) => existsSync(file));
  if (changed.length === 0 && !isThere) return [];
  assertOwnDist(root, options.followLinks ?? false);
  swapAll(
    root,
    underWaitingGuard(
      changed.map(({ file, original }) => ({ file, text: original })),
      undefined,
    ),
    options.onStep,
  );
  return [...changed.map(({ file }) => file), GUARD_FILE];
}

/**
 * Returns the files without inserted lines whose digest in OpenClaw's list was wrong already before an interrupted
 * apply: the list has neither the digest of the file nor that of the file as it would be patched.
 */
function wronglyListed(
  { root, known }: Installation,
  chunks: readonly Pick<SurveyedChunk, "file" | "original">[],
): ReadonlySet<string> {
  const digests = listedDigests(root);
  const odd = chunks.filter(({ file, original }) => {
    const [listed, own] = [digests.get(file), sha256(original)];
    return listed !== undefined && listed !== own && known?.files[file] !== own;
  });
  if (odd.length === 0) return new Set();
  const patched = new Map(patchedAsFork(root).map(({ file, patched: text }) => [file, sha256(text)]));
  return new Set(odd.map(({ file }) => file).filter((file) => patched.get(file) !== digests.get(file)));
}

function patchedAsFork(root: string): Plan["files"] {
  try {
    return plan(root, { fork: true }).files;
  } catch {
    // Code that no longer fits was not about to be patched either.
    return [];
  }
}

function readOriginal({ file, text }: ChunkText): Pick<SurveyedChunk, "file" | "original" | "header"> {
  const { original, proven, header } = unmark(text);
  if (proven) return { file, original, header };
  throw patchError("openclaw-modified", {
    expected: `${file} without the inserted lines to be the original (sha256 ${header?.original ?? "missing"})`,
    found: "other text",
    todo:
      "Someone changed it after " +
      `patching. ${header?.fork ? changedFork() : `Reinstall openclaw@${header?.release ?? "(its release)"}`}; ` +
      "nothing was changed.",
  });
}

/** What is left to do for a fork that was changed after it was patched: no registry has it. */
function changedFork(): string {
  return (
    `Build it anew; or, if the change is to stay, run ${ownCommand("apply", { options: ["--fork"] })} ` +
    "and then revert"
  );
}

/**
 * The order that a kill cannot hurt: first the guard that does nothing, then the files that call it, then the real
 * guard or none. So OpenClaw as a whole does the old thing until the last rename, and the new thing from then on.
 */
function underWaitingGuard(chunks: readonly Change[], guard: string | undefined): readonly Change[] {
  return [{ file: GUARD_FILE, text: WAITING_GUARD }, ...chunks, { file: GUARD_FILE, text: guard }];
}

/** Whether an apply or revert was interrupted here. */
function isUnfinished(root: string): boolean {
  const guard = join(root, GUARD_FILE);
  return existsSync(stageFolder(root)) || (existsSync(guard) && isWaiting(readFileSync(guard, "utf8")));
}

function toState({ root, files, lists, guard }: Plan): State {
  const states = new Set([...files, ...lists].map(({ state }) => state));
  if (isUnfinished(root)) return "half-patched";
  if (states.has("outdated") || (!states.has("original") && guard.state === "different")) return "outdated";
  if (states.has("original") && states.has("patched")) return "half-patched";
  if (states.has("patched")) return guard.state === "current" ? "patched" : "half-patched";
  return "stock";
}

function report(
  { root, release, known, fork, files, lists, leftOut }: Plan,
  state: State,
  action: Report["action"],
): Report {
  const placed = state === "patched" ? files.flatMap(({ points }) => points) : [];
  const points = PATCH_POINTS.map(({ id }) => [id, placed.filter((point) => point === id).length] as const);
  const dist = linkedDist(root);
  return {
    root,
    release,
    ...(dist !== undefined && { linkedDist: dist }),
    known,
    ...(fork && { fork }),
    patchSet: PATCH_SET,
    state,
    action,
    files: [...[...files, ...lists].map(({ file }) => file), GUARD_FILE],
    points: Object.fromEntries(points),
    leftOut,
  };
}
