import { verify } from "../patching/index.ts";
import { run } from "./run.ts";
import type { CommonOptions } from "./run.ts";
import { show } from "./show.ts";

/** `openclaw-integrity verify` */
export function verifyCommand(options: CommonOptions): void {
  run(options, (root) => {
    const report = verify(root);
    return show(report, `patched, every byte as it should be (patch set ${report.patchSet})`);
  });
}
