import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openGateway, type Gateway } from "../../../harness/gateway/index.ts";
import { ensurePatched } from "../../../harness/openclaw/ensure-release.ts";
import { workerEnvironment } from "../../../harness/openclaw/environment.ts";
import { startProvider } from "../../../harness/providers/index.ts";
import { RELEASES, type Release } from "../../../src/patching/base/releases.ts";
import { cpuWithEndedThreads } from "../cpu.ts";
import { estimateDifference, inTurn, median, type Difference, type Pair } from "../measure.ts";
import { startGateway } from "./process.ts";

const run = promisify(execFile);

/** What loading the guard's file costs a process. */
export interface GuardLoad {
  /** CPU time with nothing cached, and with Node's compile cache, which OpenClaw turns on. */
  readonly coldMs: number;
  readonly cachedMs: number;
  /** What stays on the heap. */
  readonly heapBytes: number;
}

/** CPU and memory of one way to start OpenClaw, unpatched and patched. */
export interface StartCost {
  readonly release: Release;
  readonly what: string;
  readonly rounds: number;
  /** User and system time of all its processes, in ms. */
  readonly cpuMs: Difference;
  /** The most memory that a process of it has held, in MB. */
  readonly memoryMb: Difference;
}

interface Start {
  readonly cpuMs: number;
  readonly memoryMb: number;
}

const GUARD = fileURLToPath(new URL("../../../dist/guard.mjs", import.meta.url));
/** Modules of Node that OpenClaw has loaded before. */
const LOADED = ["crypto", "child_process", "util", "v8", "fs", "fs/promises", "timers/promises", "os", "buffer"];
const CPU = "const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };";
const WARM_UP = 2;

/** Loads the guard's file in processes of their own. */
export async function measureGuardLoad(rounds: number): Promise<GuardLoad> {
  const cache = mkdtempSync(join(tmpdir(), "bench-cache-"));
  try {
    const script =
      LOADED.map((name) => `import "node:${name}";`).join("") +
      `${CPU} gc(); const heap = process.memoryUsage().heapUsed, before = cpu(); await import(${JSON.stringify(GUARD)});` +
      "const ms = cpu() - before; gc(); console.log(ms, process.memoryUsage().heapUsed - heap);";
    const load = async (env: Record<string, string>): Promise<number[]> => {
      const words = ["--expose-gc", "--input-type=module", "-e", script];
      const { stdout } = await run(process.execPath, words, { env: { PATH: process.env["PATH"], ...env } });
      return stdout.trim().split(" ").map(Number);
    };
    const cold: number[][] = [];
    const cached: number[][] = [];
    for (let round = -WARM_UP; round < rounds; round++) {
      const [one, other] = [await load({}), await load({ NODE_COMPILE_CACHE: cache })];
      if (round < 0) continue;
      cold.push(one);
      cached.push(other);
    }
    return {
      coldMs: median(cold.map(([ms]) => ms!)),
      cachedMs: median(cached.map(([ms]) => ms!)),
      heapBytes: median(cold.map(([, bytes]) => bytes!)),
    };
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/**
 * Starts both base releases, unpatched and patched in turn: `openclaw --version`, a whole `openclaw agent --local`, and a
 * gateway until it takes a client, on a state directory that it was started on before.
 */
export async function measureStarts(rounds: number): Promise<StartCost[]> {
  const costs: StartCost[] = [];
  for (const { release } of RELEASES) {
    const installed = await ensurePatched(release);
    const provider = await startProvider();
    const gateways: Gateway[] = [];
    try {
      const makeWays = async (folder: string): Promise<Record<string, () => Promise<Start>>> => {
        const gateway = await openGateway({ root: join(folder, "..", ".."), release, providerUrl: provider.url });
        gateways.push(gateway);
        const env = workerEnvironment(join(gateway.stateDir, ".."), provider.url);
        return {
          // First, since the first start of a gateway writes the configuration that the command reads.
          "gateway, until it takes a client": () => measureStart(gateway),
          "openclaw --version": () => measureCommand(folder, env, ["--version"]),
          "openclaw agent --local, one turn": () =>
            measureCommand(folder, env, ["agent", "--local", "--agent", "main", "--message", "hello there"]),
        };
      };
      const stock = await makeWays(installed.stock);
      const patched = await makeWays(installed.patched);
      for (const what of Object.keys(stock)) {
        process.stderr.write(`measuring ${what} of OpenClaw ${release}\n`);
        const [before, after] = await inTurn([stock[what]!, patched[what]!], rounds, WARM_UP);
        const pairField = (field: keyof Start): Pair[] =>
          before!.map((start, round) => ({ base: start[field], other: after![round]![field] }));
        costs.push({
          release,
          what,
          rounds,
          cpuMs: estimateDifference(pairField("cpuMs")),
          memoryMb: estimateDifference(pairField("memoryMb")),
        });
      }
    } finally {
      for (const gateway of gateways) await gateway.close();
      await provider.close();
    }
  }
  return costs;
}

async function measureStart(gateway: Gateway): Promise<Start> {
  const pid = await startGateway(gateway);
  const cpuMs = cpuWithEndedThreads(pid);
  const peak = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  await gateway.kill();
  return { cpuMs, memoryMb: Number(peak) / 1024 };
}

/**
 * Tells at its end what a process has used; OpenClaw may start itself again with other options, which counts too. A thread
 * would count the whole process once more.
 */
const HOOK = `data:text/javascript,${encodeURIComponent(
  `import { isMainThread } from "node:worker_threads"; ${CPU} if (isMainThread) ` +
    'process.on("exit", () => process.stderr.write(" used " + cpu() + " " + process.resourceUsage().maxRSS + " "));',
)}`;

async function measureCommand(folder: string, env: Record<string, string>, words: readonly string[]): Promise<Start> {
  const { stderr } = await run(process.execPath, [join(folder, "openclaw.mjs"), ...words], {
    env: { ...env, NODE_OPTIONS: `--import=${HOOK}` },
    maxBuffer: 1 << 26,
  });
  const used = [...stderr.matchAll(/ used ([\d.]+) (\d+) /g)].map(
    ([, ms, kilobytes]) => [Number(ms), Number(kilobytes)] as const,
  );
  if (used.length === 0)
    throw new Error(`openclaw ${words.join(" ")} ended without its CPU time: ${stderr.slice(-300)}`);
  return {
    cpuMs: used.reduce((sum, [ms]) => sum + ms, 0),
    memoryMb: Math.max(...used.map(([, kilobytes]) => kilobytes)) / 1024,
  };
}

/** What starting costs, as rows of a table, its head first. */
export function startRows(costs: readonly StartCost[]): string[][] {
  return [
    ["release", "what", "starts", "stock, ms CPU", "patched, more", "stock, MB", "patched, more"],
    ...costs.map(({ release, what, rounds, cpuMs, memoryMb }) => [
      release,
      what,
      `${rounds} and ${rounds}`,
      cpuMs.base.toFixed(0),
      moreWords(cpuMs),
      memoryMb.base.toFixed(0),
      moreWords(memoryMb),
    ]),
  ];
}

function moreWords({ more, low, high }: Difference): string {
  return `${more.toFixed(1)} (${low.toFixed(1)} to ${high.toFixed(1)})`;
}
