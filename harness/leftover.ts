import { existsSync, readdirSync, readFileSync } from "node:fs";

/**
 * Ends every process which has this value in its environment and returns their command lines; neither the caller nor
 * what the caller itself started. A process that a failed test forgot keeps the output open, and whoever waits for the
 * end of the output waits for ever. Only where `/proc` tells (Linux); elsewhere nothing is ended.
 */
export function endLeftovers(mark: string, caller = process.pid): string[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== caller)
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        if (!environment.some((line) => line.endsWith(`=${mark}`)) || readParent(pid) === caller) return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
        process.kill(Number(pid), "SIGKILL");
        return [command];
      } catch {
        return []; // ended meanwhile, or of another user
      }
    });
}

/** The name before it, in parentheses, may have spaces. */
function readParent(pid: string): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}
