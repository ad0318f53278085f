/**
 * As much of a published package as the patch engine looks at: its package.json, the scripts of dist and OpenClaw's
 * lists of dist.
 */
import { extractTarball } from "../../harness/tarballs.ts";

const WANTED =
  /^package\/(package\.json|dist\/postinstall-(content-)?inventory\.json|dist\/(?!.*node_modules\/).*\.[cm]?js)$/;

/** Unpacks those files into `folder`. Throws `install-failed` for a damaged tarball. */
export async function unpackScripts(tarball: string, folder: string): Promise<void> {
  await extractTarball(tarball, folder, (file) => WANTED.test(file));
}
