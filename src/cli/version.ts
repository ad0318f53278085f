import { readFileSync } from "node:fs";
import { isObject } from "../transcript/json/json.ts";

/** The version of this package, from its manifest above dist/ or src/cli/. */
export function packageVersion(): string {
  for (const above of ["../package.json", "../../package.json"]) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(new URL(above, import.meta.url), "utf8"));
      if (isObject(manifest) && manifest.name === "openclaw-integrity") return String(manifest.version);
    } catch {
      // It is the other one.
    }
  }
  return "unknown";
}
