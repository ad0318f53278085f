import { explain, findInstallation } from "../../patching/index.ts";
import { explanationLines } from "./explanation-text.ts";
import { findSetup } from "../../register/index.ts";
import { setupLines } from "../register/setup-lines.ts";
import { EXIT, run, type CommonOptions } from "../run.ts";

/**
 * `openclaw-integrity explain`: exits with 0 if OpenClaw is patched or can be patched, with 3 if apply would refuse.
 */
export function explainCommand(options: CommonOptions): void {
  run(options, () => {
    const found = findInstallation(options);
    const explanation = explain(found.root);
    const register = findSetup(found.root, found.places);
    return {
      data: { ...explanation, ways: found.ways, register },
      lines: [...explanationLines(explanation), ...registerLines(setupLines(register))],
      exit: explanation.outcome === "refused" ? EXIT.no : EXIT.ok,
    };
  });
}

function registerLines(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", "patched from memory, at the same places", ...lines];
}
