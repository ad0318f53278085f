import { revert } from "../patching/index.ts";
import { run } from "./run.ts";
import type { CommonOptions } from "./run.ts";

/** `openclaw-integrity revert` */
export function revertCommand(options: CommonOptions): void {
  run(options, (root) => {
    const files = revert(root);
    const sentence = files.length === 0 ? "was not patched, nothing to do" : "as published again, byte for byte";
    return { data: { root, files }, lines: [`OpenClaw in ${root}: ${sentence}`, ...files.map((file) => `  ${file}`)] };
  });
}
