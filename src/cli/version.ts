import { fileURLToPath } from "node:url";
import { manifestIn } from "../patching/find/package.ts";

/** The version of this package, from its manifest above dist/ or src/cli/. */
export function packageVersion(): string {
  const manifests = ["..", "../.."].map((above) => manifestIn(fileURLToPath(new URL(above, import.meta.url))));
  return manifests.find((manifest) => manifest?.name === "openclaw-integrity")?.version ?? "unknown";
}
