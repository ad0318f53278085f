/** Runs npm under the Node that tests and scripts need. */
import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { patchError } from "../src/patching/base/errors.ts";

/** The lowest Node version on which OpenClaw 2026.9.6 installs and runs. */
const NODE_NEEDED = [24, 16] as const;

/** Whether a version such as `v24.21.0` is new enough for every base release. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return major > NODE_NEEDED[0] || (major === NODE_NEEDED[0] && minor >= NODE_NEEDED[1]);
}

/** Throws `install-failed` unless this process runs on a Node that can install and run OpenClaw. */
export function assertNode(version = process.version): void {
  if (isNewEnough(version)) return;
  throw patchError("install-failed", {
    expected: `Node ${NODE_NEEDED.join(".")} or newer`,
    found: `Node ${version} (${process.execPath})`,
    todo: "Run it through npm (npm start, npm test), which finds the Node that npm ci installed, or install Node 24.",
  });
}

/** Path of npm-cli.js: of the npm that runs this process, or of the one in PATH. Throws `install-failed`. */
export function findNpmCli(env: NodeJS.ProcessEnv = process.env): string {
  const running = env["npm_execpath"];
  if (running !== undefined && running.endsWith("npm-cli.js") && existsSync(running)) return running;
  const name = process.platform === "win32" ? "npm.cmd" : "npm";
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    const found = join(folder, name);
    if (!existsSync(found)) continue;
    const real = realpathSync(found);
    const beside = join(dirname(real), "node_modules", "npm", "bin", "npm-cli.js");
    for (const path of [real, beside]) if (path.endsWith("npm-cli.js") && existsSync(path)) return path;
  }
  throw patchError("install-failed", {
    expected: "npm in PATH",
    found: "none whose npm-cli.js could be found",
    todo: "Install npm, or run this through npm (npm ci, npm run ...).",
  });
}

/** The settings of an outer npm that an inner one needs too: the way to the registry, and where npm keeps its cache. */
const FOR_EVERY_NPM =
  /^npm_config_(?:registry|ca|cafile|cert|key|globalconfig|userconfig|cache|proxy|https_proxy|noproxy|strict_ssl|\/\/.*|@.*)$/i;

/** Leaves out what an outer npm passes on for its own run only: prefix, dry-run, pack-destination, json, ... */
export function withoutOuterNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_/i.test(name) || FOR_EVERY_NPM.test(name)));
}

/** Runs npm in a folder with the Node of this process. Its output is shown only in the error when it fails. */
export async function runNpm(folder: string, args: readonly string[]): Promise<void> {
  assertNode();
  const npm = findNpmCli();
  const env = withoutOuterNpm(process.env);
  env["PATH"] = `${dirname(process.execPath)}${delimiter}${env["PATH"] ?? ""}`;
  try {
    await promisify(execFile)(process.execPath, [npm, ...args], { cwd: folder, env, maxBuffer: 64 << 20 });
  } catch (error) {
    const output =
      error instanceof Error && "stderr" in error ? String(error.stderr).trim().split("\n").slice(-15).join("\n") : "";
    throw patchError("install-failed", {
      expected: `npm ${args.join(" ")} to succeed in ${folder}`,
      found: output === "" ? String(error) : `\n${output}\n`,
      todo: "Check the network and the disk, then run it again: a half install is redone.",
      cause: error,
    });
  }
}
