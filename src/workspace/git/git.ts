/** Runs git on the repository of the snapshots, without anything of the person's configuration. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { pipeline, Readable } from "node:stream";
import { quotedInline } from "../../base/quoted.ts";
import { workspaceError } from "../errors.ts";

/** How long one call of git may take. */
const GIT_MS = 60_000;
/** How much of git's own message an error repeats. */
const MAX_SAID = 300;
/** Longest output of one call: the list of 50,000 files with long names has some 10 MB. */
const MAX_OUTPUT = 256 * 1024 * 1024;

/** What a call of git works on. It is passed by GIT_DIR and GIT_INDEX_FILE: git does not look for a repository. */
export interface GitPlace {
  readonly repository: string;
  readonly index: string;
}

/** Options of one call. */
export interface GitCall {
  readonly input?: string | Uint8Array | Readable | undefined;
  /** Exit codes besides 0 that are no failure. */
  readonly accept?: readonly number[] | undefined;
  readonly deadlineMs?: number | undefined;
}

export interface GitAnswer {
  readonly code: number;
  readonly output: Buffer;
}

/**
 * Runs `git` on the repository of the snapshots, which has no work tree: git is never in a workspace. Nothing of the
 * person's configuration takes part: no system or user configuration, no inherited `GIT_*` variable, no hooks, no
 * filters, no pager, no prompt. Rejects with a WorkspaceError: `no-git`, `timeout` (git was killed), `git-failed` (also
 * for more than MAX_OUTPUT); and with the error of an input that is a stream.
 */
export async function git(place: GitPlace, args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
  const { input, accept = [], deadlineMs = GIT_MS } = call;
  const command = args.find((arg) => /^[a-z]+(?:-[a-z]+)*$/.test(arg)) ?? "";
  const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>();
  const child = spawn("git", ["--no-pager", "--literal-pathspecs", ...args], {
    cwd: existsSync(place.repository) ? place.repository : tmpdir(),
    env: gitEnvironment(place),
    stdio: ["pipe", "pipe", "pipe"],
    // Helpers that git starts are ended with it.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const end = (): void => {
    try {
      if (child.pid !== undefined && process.platform !== "win32") process.kill(-child.pid, "SIGKILL");
      else child.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  const timer = setTimeout(() => {
    end();
    reject(
      workspaceError("timeout", {
        expected: `git ${command} to end within ${deadlineMs / 1000} s`,
        found: "it still running; it was ended",
        todo: "The work goes on without the files. Look whether the disk or git itself hangs.",
      }),
    );
  }, deadlineMs);
  const output: Buffer[] = [];
  let length = 0;
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_OUTPUT) end();
    else output.push(chunk);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    if (said.length < MAX_SAID) said += chunk.toString("utf8");
  });
  let inputError: unknown;
  // A git that ends early closes its input; why it ended is in its exit code.
  child.stdin.on("error", () => undefined);
  child.on("error", (error: NodeJS.ErrnoException) => {
    clearTimeout(timer);
    reject(
      workspaceError("no-git", {
        expected: "the program git in PATH",
        found: error.code === "ENOENT" ? "none" : `one that cannot be run (${error.code ?? error.name})`,
        todo: "Install git, so that moves can bring files back. Until then moves go on without files.",
        cause: error,
      }),
    );
  });
  child.on("close", (code) => {
    clearTimeout(timer);
    if (inputError !== undefined) reject(inputError);
    else if (code !== null && (code === 0 || accept.includes(code))) {
      resolve({ code, output: Buffer.concat(output) });
      return;
    }
    reject(
      workspaceError("git-failed", {
        expected: `git ${command} to succeed`,
        found:
          (code === null ? "its end by a signal" : `exit code ${code}`) +
          (said === "" ? "" : `: ${quotedInline(said.trim(), MAX_SAID)}`),
        todo: "Files were neither captured nor moved.",
      }),
    );
  });
  if (input instanceof Readable) {
    input.once("error", (error) => (inputError = error));
    // The input has failed in the middle: git must not take its part for all of it.
    pipeline(input, child.stdin, (error) => error && end());
  } else child.stdin.end(input);
  return promise;
}

function gitEnvironment({ repository, index }: GitPlace): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:GIT_|LC_|LANG$|XDG_CONFIG_HOME$)/i.test(name));
  return {
    ...Object.fromEntries(inherited),
    // No file of the person's: git looks for configuration, ignored names and attributes in the home folder too.
    HOME: repository,
    XDG_CONFIG_HOME: repository,
    LC_ALL: "C",
    GIT_DIR: repository,
    GIT_INDEX_FILE: index,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
  };
}
