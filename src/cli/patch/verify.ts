import { findInstallation, verify } from "../../patching/index.ts";
import { run, type CommonOptions } from "../run.ts";
import { show } from "./show.ts";

/** `openclaw-integrity verify` */
export function verifyCommand(options: CommonOptions): void {
  run(options, () => {
    const found = findInstallation(options);
    const report = verify(found.root);
    return show(found, report, `patched, every byte as it should be (patch set ${report.patchSet})`);
  });
}
