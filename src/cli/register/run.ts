import { spawn } from "node:child_process";
import { constants } from "node:os";
import { hookUrl, RegisterError, withHook } from "../../register/index.ts";
import { complain } from "../../base/terminal.ts";
import { EXIT } from "../run.ts";

/** What a shell answers when a command is not there, or cannot be started. */
const NOT_FOUND = 127;
const NOT_STARTED = 126;
/** Added to the number of the signal that ended a command, as shells do. */
const BY_SIGNAL = 128;
const FORWARDED = ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** `openclaw-integrity run -- <command>`: its exit code is that of the command. */
export function runCommand(words: readonly string[], { required = false }: { readonly required?: boolean }): void {
  const [command = "", ...args] = words;
  try {
    const child = spawn(command, args, { stdio: "inherit", env: environment(required) });
    // Ctrl-C reaches the command by itself; this process waits for its end.
    process.on("SIGINT", () => undefined);
    for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
    child.on("error", (error: NodeJS.ErrnoException) => {
      complain(`openclaw-integrity: expected a command that can be run; found ${command}: ${error.message}`);
      process.exitCode = error.code === "ENOENT" ? NOT_FOUND : NOT_STARTED;
    });
    child.on("exit", (code, signal) => {
      process.exit(code ?? BY_SIGNAL + (signal === null ? 0 : constants.signals[signal]));
    });
  } catch (error) {
    if (!(error instanceof RegisterError)) throw error;
    complain(`openclaw-integrity: refused (${error.code}): ${error.message}`);
    process.exitCode = EXIT.refused;
  }
}

function environment(required: boolean): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_OPTIONS: withHook(process.env["NODE_OPTIONS"], hookUrl()),
    ...(required && { OPENCLAW_INTEGRITY: "required" }),
  };
}
