/** The last words of `npm run dist`. */
import type { Distribution } from "./build.ts";

/** What was built, how to install it, and how to go back. */
export function closingText({ path, size, sha256, manifest }: Distribution): string {
  return [
    "",
    `  file     ${path}`,
    `  size     ${(size / 1e6).toFixed(1)} MB`,
    `  sha256   ${sha256}`,
    `  changed  ${manifest.files.length} files, listed in its INTEGRITY-MANIFEST.json`,
    "",
    `  install  npm install -g ${path}`,
    `  back     npm install -g openclaw@${manifest.release}`,
  ].join("\n");
}
