import { explain, findInstallation } from "../../patching/index.ts";
import { explanationLines } from "./explanation-text.ts";
import { EXIT, run, type CommonOptions } from "../run.ts";

/** `openclaw-integrity explain`: exits with 0 if OpenClaw is patched or can be patched, with 3 if apply would refuse. */
export function explainCommand(options: CommonOptions): void {
  run(options, () => {
    const found = findInstallation(options);
    const explanation = explain(found.root);
    return {
      data: { ...explanation, ways: found.ways },
      lines: explanationLines(explanation),
      exit: explanation.outcome === "refused" ? EXIT.no : EXIT.ok,
    };
  });
}
