/**
 * Entry of the process that keeps a proof's OpenClaw: makes its home, starts its programs, and ends them and removes
 * the home when its parent is gone, however that ended, or when it takes too long.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { rmSync, writeSync } from "node:fs";
import { describeError } from "../../base/coded-error.ts";
import type { FromKeeper, ToKeeper } from "./kept.ts";
import { makeHome } from "./home.ts";
import { makeSockets } from "./sockets.ts";

const STDERR = 2;
const REMOVALS = 20;
const REMOVAL_DELAY_MS = 100;

const limitMs = Number(process.argv[2]);
const home = homeOrEnd();
let child: ChildProcess | undefined;

process.on("message", (message: ToKeeper) => start(message));
process.once("disconnect", end);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
setTimeout(end, limitMs);
tell({ kind: "ready", home, sockets: makeSockets(home) });

function homeOrEnd(): string {
  try {
    return makeHome();
  } catch (error) {
    // Its words alone: the prover shows the last lines.
    writeSync(STDERR, `${describeError(error)}\n`);
    process.exit(1);
  }
}

function start({ command, args, env, cwd }: ToKeeper): void {
  // A group of its own, so that what it starts is ended with it.
  const started = spawn(command, args, {
    env,
    cwd,
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "inherit", "inherit"],
  });
  child = started;
  tell({ kind: "started", pid: started.pid });
  started.once("error", (error) => tell({ kind: "ended", how: error.message }));
  started.once("exit", (code, signal) => {
    endGroup(started);
    tell({ kind: "ended", how: signal ?? String(code) });
  });
}

/** Ends a program with all that it has started. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" });
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // No process of the group is left.
  }
}

function end(): never {
  if (child !== undefined) endGroup(child);
  // On some systems a process that was just killed still holds its files for a moment.
  rmSync(home, { recursive: true, force: true, maxRetries: REMOVALS, retryDelay: REMOVAL_DELAY_MS });
  process.exit();
}

function tell(message: FromKeeper): void {
  // Without a parent there is nobody to tell; `disconnect` follows.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
