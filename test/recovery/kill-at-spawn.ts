/**
 * Loaded into OpenClaw's process before anything else (`node --import`): kills the process with SIGKILL as soon as a
 * command has started that names the trace, which is the earliest moment at which the command has effects.
 */
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

/** The variable that names the trace. */
export const KILL_AT = "KILL_AT_TRACE";

const trace = process.env[KILL_AT];
const { spawn } = childProcess;

childProcess.spawn = ((command: string, args: string[], options: object) => {
  const child = spawn(command, args, options);
  if (trace !== undefined && JSON.stringify([command, args]).includes(trace)) process.kill(process.pid, "SIGKILL");
  return child;
}) as typeof spawn;
syncBuiltinESMExports();
