import type { Served } from "../../src/register/served.ts";

/** A patch that is larger than any real one. */
export function manyFiles(root: string): Served {
  const files = Array.from({ length: 200 }, (_, at) => ({
    file: `dist/${at}.mjs`,
    disk: "1".repeat(64),
    patched: "2".repeat(64),
    lines: [[at, "x".repeat(200)] as const],
  }));
  return { root, release: "2026.9.6", known: true, patchSet: "5", files, leftOut: [] };
}
