import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceFile } from "./pull-request.ts";

const TIMEOUT_MS = 10_000;

/** Gets the contents of a file that a diff was made against; undefined when they cannot be had here. */
export type Contents = (file: SourceFile) => Promise<string | undefined>;

/**
 * Asks GitHub, and the folder `cache`/<commit>/<path> where that is out of reach. One refusal to connect is enough to
 * stop asking.
 */
export function contentsFrom(cache: string, ask: typeof fetch = fetch): Contents {
  let reachable = true;
  return async (file) => {
    if (reachable) {
      try {
        const response = await ask(`https://raw.githubusercontent.com/${file.repository}/${file.commit}/${file.path}`, {
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        if (response.ok) return await response.text();
      } catch {
        reachable = false;
      }
    }
    const path = join(cache, file.commit, file.path);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  };
}
