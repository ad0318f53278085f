/** As much of a published package as the patch engine looks at: its package.json, the scripts of dist and OpenClaw's lists of dist. */
import { mkdirSync } from "node:fs";
import { extract } from "tar";
import { refusal } from "../../src/patching/errors.ts";

const WANTED = /^package\/(package\.json|dist\/postinstall-(content-)?inventory\.json|dist\/(?!.*node_modules\/).*\.[cm]?js)$/;

/** Unpacks those files into `folder`. Throws `install-failed` for a damaged tarball. */
export async function unpackScripts(tarball: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  try {
    await extract({ file: tarball, cwd: folder, strip: 1, strict: true, preserveOwner: false, filter: (path) => WANTED.test(path) });
  } catch (error) {
    throw refusal("install-failed", {
      expected: `${tarball} to unpack`,
      found: error instanceof Error ? error.message : String(error),
      todo: "Delete it; it is downloaded again.",
      cause: error,
    });
  }
}
