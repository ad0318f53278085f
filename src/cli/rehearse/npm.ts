/** The operator's own npm. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { quotedInline } from "../../base/quoted.ts";
import { endGroup, rehearsalError } from "../rehearsal-place.ts";

/** The settings of an outer npx that an inner npm needs too: the way to the registry, and its folders. */
const FOR_EVERY_NPM =
  /^npm_config_(?:registry|ca|cafile|cert|key|globalconfig|userconfig|cache|prefix|fetch_[a-z]+|proxy|https_proxy|noproxy|strict_ssl|\/\/.*|@.*)$/i;
const SHOWN_LINES = 8;
const SHOWN_CHARACTERS = 1200;
const KEPT_CHARACTERS = 20_000;

/** How npm is run. */
export interface NpmRun {
  readonly folder?: string;
  /** Ends npm; where it is absent, npm is ended with this process by Ctrl-C, as one that a person has started. */
  readonly signal?: AbortSignal;
  /** What became of the user's data where npm fails, and what to do. */
  readonly todo: string;
  /** Called with the id of npm's process group, and with undefined when that has ended. */
  readonly onProcess?: (pid: number | undefined) => void;
}

/** Runs the npm in PATH. Rejects with `install-failed` and npm's last words. */
export async function runNpm(args: readonly string[], { folder, signal, todo, onProcess }: NpmRun): Promise<void> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || FOR_EVERY_NPM.test(name)),
  );
  const isWindows = process.platform === "win32";
  // On Windows npm is a script, which needs a shell; versions and tags have no meaning for one, paths are quoted.
  const words = isWindows ? args.map((arg) => (/^[\w@.=-]+$/.test(arg) ? arg : `"${arg}"`)) : args;
  const child = spawn(isWindows ? "npm.cmd" : "npm", words, {
    ...(folder !== undefined && { cwd: folder }),
    env,
    shell: isWindows,
    windowsHide: true,
    // A group of its own, which can be ended with what it starts.
    detached: !isWindows && signal !== undefined,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-KEPT_CHARACTERS);
    });
  const failed = (found: string): Error =>
    rehearsalError("install-failed", { expected: `npm ${args.join(" ")} to succeed`, found, todo });
  const stop = (): void => {
    if (child.pid !== undefined) endGroup(child.pid);
  };
  signal?.addEventListener("abort", stop, { once: true });
  try {
    if (child.pid !== undefined) onProcess?.(child.pid);
    const [code, by] = (await once(child, "close").catch((error: unknown) => {
      throw failed(
        error instanceof Error && "code" in error && error.code === "ENOENT" ? "no npm in PATH" : String(error),
      );
    })) as [number | null, string | null];
    signal?.throwIfAborted();
    if (code !== 0) throw failed(`that it ended (${by ?? code}); it printed: ${errorLines(output)}`);
  } finally {
    signal?.removeEventListener("abort", stop);
    onProcess?.(undefined);
  }
}

const OF_NPM = /^npm (?:error|ERR!)/;

/** What npm calls its error, whose code comes first; where it says nothing, the last lines. */
function errorLines(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const errors = lines.filter((line) => OF_NPM.test(line)).map((line) => line.replace(OF_NPM, "").trim());
  const shown = errors.length > 0 ? errors.slice(0, SHOWN_LINES) : lines.slice(-SHOWN_LINES);
  return quotedInline(shown.join(" | "), SHOWN_CHARACTERS);
}
