import { apply } from "../patching/index.ts";
import type { Report } from "../patching/index.ts";
import { run } from "./run.ts";
import type { CommonOptions } from "./run.ts";
import { show } from "./show.ts";

/** What apply did, as a sentence. */
export function applied({ action, patchSet }: Report): string {
  const sentences = {
    applied: `patched (patch set ${patchSet})`,
    completed: `a half-finished patch was completed (patch set ${patchSet})`,
    updated: `an older patch was replaced (patch set ${patchSet})`,
    already: `already patched (patch set ${patchSet}), nothing to do`,
    checked: `checked (patch set ${patchSet})`,
  };
  return sentences[action];
}

/** `openclaw-integrity apply` */
export function applyCommand(options: CommonOptions): void {
  run(options, (root) => {
    const report = apply(root);
    return show(report, applied(report));
  });
}
