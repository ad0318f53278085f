import { findInstallation, forget, readRecord, recordReverted, revert } from "../../patching/index.ts";
import { run, type Outcome, type SwapOptions } from "../run.ts";
import { leadLines, sharedWarnings } from "./show.ts";

/** `openclaw-integrity revert` */
export function revertCommand(options: SwapOptions): void {
  run(options, () => revertOutcome(options));
}

/** Reverts the patch. Throws a PatchError. */
export function revertOutcome(options: SwapOptions): Outcome {
  const found = findInstallation(options);
  const { root, release, ways } = found;
  const files = revert(root, options);
  const before = readRecord().some((one) => one.root === root && one.fork === true) ? "it was" : "published";
  const sentence = files.length === 0 ? "was not patched, nothing to do" : `as ${before} again, byte for byte`;
  // Before the entry is forgotten by which the record knows this OpenClaw.
  const unrecorded = [recordReverted(root, release), forget(root)].filter((warning) => warning !== undefined);
  return {
    data: { root, release, action: files.length === 0 ? "already" : "reverted", files, ways },
    lines: [`OpenClaw ${release} in ${root}: ${sentence}`, ...leadLines(found), ...files.map((file) => `  ${file}`)],
    warnings: [...(files.length === 0 ? [] : sharedWarnings(found)), ...unrecorded],
  };
}
