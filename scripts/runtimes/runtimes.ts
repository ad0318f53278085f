import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patience } from "../../harness/patience.ts";
import { openPage } from "./browser.ts";

/** The lines of each part of program.mjs. */
export type Lines = Readonly<Record<string, readonly string[]>>;

/** Where a program of a user is. */
export interface Project {
  /** The package is installed there, and program.mjs lies there with its cases and bundles. */
  readonly folder: string;
  /** Where the programs of other projects are; undefined where they cannot be had. */
  readonly tools: string | undefined;
}

/** A runtime that is there. */
export interface Runtime {
  readonly name: string;
  readonly version: string;
  /** What kind of file it is given. */
  readonly given: string;
  /** Runs the program against the provider. Rejects with what the runtime says where it cannot. */
  readonly run: (url: string) => Promise<Lines>;
}

/** A limit behind which a runtime is given up. */
const MAX_MS = patience(120_000);
const CHROMIUM = process.env["CHROMIUM"] ?? "chromium";

/** The names, the one with which all others are compared first. */
export const RUNTIMES = [
  "Node 24",
  "Node 20",
  "Node 22",
  "Bun",
  "Deno",
  "Cloudflare's workerd",
  "Chromium, page",
  "Chromium, page, bundle of Rolldown",
  "Chromium, worker, bundle of esbuild",
] as const;

/** Finds a runtime; undefined where it is not on this machine. The programs of npm are those for Linux on x64. */
export function findRuntime(name: (typeof RUNTIMES)[number], { folder, tools }: Project): Runtime | undefined {
  const ofTools = (path: string): string => join(tools ?? "", "node_modules", path);
  const found = (program: string, given: string, run: Runtime["run"]): Runtime | undefined => {
    const version = readVersion(program);
    return version === undefined ? undefined : { name, version, given, run };
  };
  const command = (program: string, ...args: string[]): Runtime | undefined =>
    found(program, "modules of node_modules", (url) => runCommand(program, [...args, "main.mjs", url], folder));
  const page = (path: string, given: string): Runtime | undefined =>
    found(CHROMIUM, given, async (url) => {
      const report = await openPage({ chromium: CHROMIUM, folder, path, url, limitMs: MAX_MS });
      return report as Lines;
    });
  const workerd = ofTools("@cloudflare/workerd-linux-64/bin/workerd");
  switch (name) {
    case "Node 24":
      return command(process.execPath);
    case "Node 20":
      return command(ofTools("node-20/bin/node"));
    case "Node 22":
      return command(ofTools("node-22/bin/node"));
    case "Bun":
      return command(ofTools("@oven/bun-linux-x64/bin/bun"), "run");
    case "Deno":
      return command(ofTools("@deno/linux-x64-glibc/deno"), "run", "--no-prompt", "--allow-net=127.0.0.1");
    case "Cloudflare's workerd":
      return found(workerd, "bundle of esbuild", (url) => runWorker(workerd, folder, url));
    case "Chromium, page":
      return page("modules.html", "modules of node_modules, by an import map");
    case "Chromium, page, bundle of Rolldown":
      return page("bundle.html", "bundle of Rolldown");
    case "Chromium, worker, bundle of esbuild":
      return page("worker.html", "bundle of esbuild, in a Web Worker");
  }
}

function readVersion(program: string): string | undefined {
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return status === 0 ? /\d[\w.-]*/.exec(stdout)?.[0] : undefined;
}

async function runCommand(program: string, args: readonly string[], cwd: string): Promise<Lines> {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: MAX_MS });
  const [printed, complaint] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, "exit")]);
  if (child.exitCode !== 0) throw new Error(`${program} ended with ${child.exitCode}: ${complaint.slice(0, 1000)}`);
  return JSON.parse(printed) as Lines;
}

/** The worker may speak to this machine, which none at Cloudflare may; there are no modules of Node. */
const WORKER = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.bundle.mjs")],
      compatibilityDate = "2025-01-01",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

async function runWorker(workerd: string, folder: string, url: string): Promise<Lines> {
  const config = join(folder, "worker.capnp");
  if (!existsSync(config)) writeFileSync(config, WORKER);
  const child = spawn(workerd, ["serve", config, "--control-fd=3"], { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const complaint = readAll(child.stderr!);
  try {
    const port = await readPort(child);
    if (port === undefined) throw new Error(`workerd does not listen: ${(await complaint).slice(0, 1000)}`);
    const response = await fetch(`http://127.0.0.1:${port}/?provider=${url}`, { signal: AbortSignal.timeout(MAX_MS) });
    const text = await response.text();
    if (!response.ok) throw new Error(`workerd answered ${response.status}: ${text.slice(0, 1000)}`);
    return JSON.parse(text) as Lines;
  } finally {
    child.kill("SIGKILL");
  }
}

/** Reads the port from what workerd says of its sockets; undefined where it ends before. */
async function readPort(child: ChildProcess): Promise<number | undefined> {
  let said = "";
  for await (const chunk of child.stdio[3] as NodeJS.ReadableStream) {
    said += String(chunk);
    const port = /"port":(\d+)/.exec(said)?.[1];
    if (port !== undefined) return Number(port);
  }
  return undefined;
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  stream.setEncoding("utf8");
  for await (const chunk of stream) text += String(chunk);
  return text;
}
