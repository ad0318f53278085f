import { resolve } from "node:path";
import {
  findInstallation,
  olderPatchFiles,
  patchFiles,
  plan,
  writePatchFiles,
  type WrittenFile,
} from "../../patching/index.ts";
import { reservations } from "./apply.ts";
import { run, type CommonOptions } from "../run.ts";

const NEXT = [
  "Commit both files: patch-package applies them in this order.",
  'Have the project run it: npm install patch-package, and "postinstall": ' +
    '"patch-package" among the scripts in package.json.',
  "Reinstall OpenClaw (npm ci) if it was patched before: patch-package does not replace what lies there.",
];

/** `openclaw-integrity write-patches [folder]` */
export function writePatchesCommand(name: string, options: CommonOptions): void {
  run(options, () => {
    const { root, ways } = findInstallation({ ...options, onlyProject: true });
    const planned = plan(root);
    const { guard, callSites } = patchFiles(planned);
    const [folder, files] = [resolve(name), [guard, callSites]];
    const written = writePatchFiles(folder, files);
    return {
      data: { root, release: planned.release, ways, folder, files: written, next: NEXT },
      lines: [
        `OpenClaw ${planned.release} in ${root}: its patch as files for patch-package`,
        ...written.map(fileLine),
        ...NEXT,
      ],
      warnings: [
        ...reservations(planned),
        ...olderPatchFiles(folder, files).map((older) => olderWarning(folder, older)),
      ],
    };
  });
}

function fileLine({ file, lines, action }: WrittenFile): string {
  return action === "written" ? `  wrote ${file} (${lines} lines)` : `  ${file} is up to date`;
}

function olderWarning(folder: string, name: string): string {
  return (
    `${name} in ${folder} is an older patch file of openclaw-integrity: ` +
    "delete it, or patch-package applies it too and fails"
  );
}
