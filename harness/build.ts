import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds dist/ of this repository. Throws when the build fails, which has said why. */
export function buildDist(): void {
  const repository = fileURLToPath(new URL("..", import.meta.url));
  const tsdown = fileURLToPath(import.meta.resolve("tsdown/run"));
  execFileSync(process.execPath, [tsdown, "--log-level", "error"], { cwd: repository, stdio: "inherit" });
}
