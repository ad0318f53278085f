import { status } from "../patching/index.ts";
import { run } from "./run.ts";
import type { CommonOptions } from "./run.ts";
import { show } from "./show.ts";

const SENTENCES = {
  stock: "not patched (run: openclaw-integrity apply)",
  patched: "patched",
  "half-patched": "patched in part only (run: openclaw-integrity apply)",
  outdated: "patched by another version of openclaw-integrity (run: openclaw-integrity apply)",
} as const;

/** `openclaw-integrity status` */
export function statusCommand(options: CommonOptions): void {
  run(options, (root) => {
    const report = status(root);
    return show(report, SENTENCES[report.state]);
  });
}
