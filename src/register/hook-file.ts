/** The built hook of this package. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { registerError } from "./errors.ts";

// Beside the built command line, or in the dist of a checkout.
const PLACES = ["./register/index.mjs", "../../dist/register/index.mjs"];

/** URL of the hook for `--import`. Throws `hook-unfit` when it is not built. */
export function hookUrl(): string {
  const urls = PLACES.map((place) => new URL(place, import.meta.url));
  const found = urls.find((url) => existsSync(fileURLToPath(url)));
  if (found !== undefined) return found.href;
  throw registerError("hook-unfit", {
    expected: `the built hook in ${urls.map((url) => fileURLToPath(url)).join(" or ")}`,
    found: "no such file",
    todo: "Reinstall openclaw-integrity, or build it (npm run build).",
  });
}

/** Whether a hook is in the cache of npx or pnpm dlx, which they empty: Node does not start when its file is gone. */
export function isInCache(url: string): boolean {
  return /\/_npx\/|\/dlx-/.test(url);
}

/**
 * The URL of the hook for a service, which needs it at each start. Throws `hook-unfit` for a package that npx has in
 * its cache.
 */
export function lastingHookUrl(): string {
  const url = hookUrl();
  if (!isInCache(url)) return url;
  throw registerError("hook-unfit", {
    expected: "openclaw-integrity to be installed, because the service loads it at each start",
    found: `a copy in the cache of npx or pnpm dlx: ${fileURLToPath(url)}`,
    todo: "Run: npm install --global openclaw-integrity, then openclaw-integrity service install. Nothing was changed.",
  });
}
