/** Patches a source checkout, reverts the patch, and tells its state. */
import { existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { ownCommand } from "../../base/commands/own-command.ts";
import { PatchError, patchError } from "../base/errors.ts";
import type { PatchOptions } from "../plan.ts";
import { PATCH_SET } from "../points/index.ts";
import { type Change, stageFolder, swapAll } from "../write/swap.ts";
import { assertClean, assertUnchanged, assertWithin } from "./assertions.ts";
import { readCheckout } from "./checkout.ts";
import { listIgnoring, type Ignoring } from "./ignored.ts";
import { checkoutState, type CheckoutPlan, type CheckoutState, planCheckout } from "./plan.ts";
import {
  isWritten,
  MANIFEST,
  manifestFiles,
  manifestMeanwhile,
  readVendored,
  VENDOR_FOLDER,
  VENDORED_NAMES,
} from "./vendored.ts";

/** Result of a command on a checkout, as data for --json. */
export interface CheckoutReport {
  readonly root: string;
  readonly release: string;
  readonly patchSet: string;
  readonly state: CheckoutState;
  readonly action: "applied" | "completed" | "updated" | "already" | "checked";
  readonly files: readonly string[];
  /** Number of copies in place, by patch point. */
  readonly points: Readonly<Record<string, number>>;
  readonly leftOut: readonly { readonly point: string; readonly reason: string }[];
  /** What leaves out the guard's folder: its commit, or image, has lines that import it, and does not build. */
  readonly ignoredBy: readonly Ignoring[];
}

/** Options of {@link applyToCheckout}. */
export interface CheckoutOptions extends PatchOptions {
  /** Allows a checkout with changes that are not committed. */
  readonly dirty?: boolean | undefined;
  /** Called at every step of the swap; tests kill the process there. */
  readonly onStep?: () => void;
}

/**
 * Applies the patch set to the sources in `root`: one line at each patch point, and the guard in a folder of its own.
 * Applying twice is a no-op. Throws a PatchError, and then nothing was changed: `checkout-dirty` where git knows of
 * changes that are not committed, unless `dirty` is set.
 */
export function applyToCheckout(root: string, options: CheckoutOptions = {}): CheckoutReport {
  const planned = planCheckout(root, options);
  const state = checkoutState(planned);
  if (state === "patched") return toReport(planned, state, "already");
  if (options.dirty !== true) assertClean(planned);
  const { files, strays, vendored } = planned;
  const manifest = vendored.find(({ file }) => file === MANIFEST)!;
  const unpatched = files.filter(({ isRight }) => !isRight);
  assertWithin(root, [...unpatched, ...strays, ...vendored]);
  swapWithin(
    root,
    [
      // First it names the old files too, so that a revert after a kill knows both; `vendored` has the final one.
      { file: MANIFEST, text: manifestMeanwhile(manifest.text, readVendored(root, MANIFEST)) },
      ...vendored,
      ...unpatched.map(({ file, patched }) => ({ file, text: patched })),
      ...strays.map(({ file, original }) => ({ file, text: original })),
    ],
    options.onStep,
    () => {
      assertUnchanged(root, [...files, ...strays]);
      mkdirSync(join(root, VENDOR_FOLDER), { recursive: true });
    },
  );
  const actions = { stock: "applied", outdated: "updated", "half-patched": "completed" } as const;
  return toReport(planned, "patched", actions[state]);
}

/** Returns the state of the sources in `root`. Throws for sources that cannot be patched. */
export function checkoutStatus(root: string, options: PatchOptions = {}): CheckoutReport {
  const planned = planCheckout(root, options);
  return toReport(planned, checkoutState(planned), "checked");
}

/** Checks every line and every file. Throws `not-patched`, `half-patched` or what {@link checkoutStatus} throws. */
export function verifyCheckout(root: string, options: PatchOptions = {}): CheckoutReport {
  const found = checkoutStatus(root, options);
  if (found.state === "patched") return found;
  throw patchError(found.state === "stock" ? "not-patched" : "half-patched", {
    expected: `the sources of OpenClaw ${found.release} with the whole of patch set ${PATCH_SET} in ${root}`,
    found: {
      stock: "none of it",
      outdated: "the lines or the folder of another version, or changed ones",
      "half-patched": "only a part of it",
      patched: "",
    }[found.state],
    todo: `Run: ${ownCommand("apply", { options: ["--source", root] })}`,
  });
}

/**
 * Removes our lines and the files of the vendored folder. What was changed in a source since stays; a file of the
 * folder that was changed stays too, and is returned under `kept`. Throws what {@link readCheckout} throws,
 * and `not-writable` or `busy`; then nothing was changed.
 */
export function revertCheckout(
  root: string,
  { onStep }: Pick<CheckoutOptions, "onStep"> = {},
): { readonly files: readonly string[]; readonly kept: readonly string[] } {
  const marked = readCheckout(root).sources.filter(({ own }) => own.length > 0);
  const written = manifestFiles(readVendored(root, MANIFEST) ?? "");
  // A manifest that is gone or torn (a merge) tells nothing: what is there under our names stays, and is told.
  const there = [...(written.size > 0 ? written.keys() : VENDORED_NAMES)].filter((file) =>
    existsSync(join(root, file)),
  );
  const kept = there.filter((file) => !isWritten(root, file, written));
  const removed = [...there.filter((file) => !kept.includes(file)), ...(written.size > 0 ? [MANIFEST] : [])];
  const changes: Change[] = [
    ...marked.map(({ file, original }) => ({ file, text: original })),
    // The manifest last: after a kill it still tells what to remove.
    ...removed.map((file) => ({ file, text: undefined })),
  ];
  if (changes.length > 0 || existsSync(stageFolder(root)))
    swapWithin(root, changes, onStep, () => {
      assertUnchanged(root, marked);
    });
  removeEmpty(root);
  return { files: changes.map(({ file }) => file), kept };
}

/** Swaps files as {@link swapAll} does; a folder that was made for nothing goes again. */
function swapWithin(...swap: Parameters<typeof swapAll>): void {
  try {
    swapAll(...swap);
  } catch (error) {
    // Where another process is at work the folder is that one's.
    if (!(error instanceof PatchError && error.code === "busy")) removeEmpty(swap[0]);
    throw error;
  }
}

/** Removes the folders that the patch made, where nothing else is in them. */
function removeEmpty(root: string): void {
  for (const folder of [join(root, VENDOR_FOLDER), join(root, "vendor")])
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() && readdirSync(folder).length === 0)
      rmdirSync(folder);
}

function toReport(planned: CheckoutPlan, state: CheckoutState, action: CheckoutReport["action"]): CheckoutReport {
  const { root, release, verdicts, files, vendored } = planned;
  return {
    root,
    release,
    patchSet: PATCH_SET,
    state,
    action,
    files: [...files.map(({ file }) => file), ...vendored.map(({ file }) => file)],
    points: Object.fromEntries(
      verdicts.map(({ point, outcome, found }) => [point.id, state === "patched" && outcome === "fits" ? found : 0]),
    ),
    leftOut: verdicts.flatMap(({ outcome, point, reason }) =>
      outcome === "left-out" ? [{ point: point.id, reason: reason ?? "" }] : [],
    ),
    ignoredBy: state === "patched" ? listIgnoring(root) : [],
  };
}
