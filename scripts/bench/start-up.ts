import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { RELEASES, type Release } from "../../src/patching/base/releases.ts";
import { median, ratioOf } from "./measure.ts";

/** What loading the guard's file costs a process. */
export interface GuardLoad {
  /** CPU time with nothing cached, and with Node's compile cache, which OpenClaw turns on. */
  readonly coldMs: number;
  readonly cachedMs: number;
  /** What stays on the heap. */
  readonly heapBytes: number;
}

/** CPU of `openclaw --version`, unpatched and patched. */
export interface VersionCost {
  readonly release: Release;
  readonly rounds: number;
  readonly stockMs: number;
  readonly patchedMs: number;
  readonly ratio: number;
  readonly interval: readonly [number, number];
}

const GUARD = fileURLToPath(new URL("../../dist/guard.mjs", import.meta.url));
/** Modules of Node that OpenClaw has loaded before. */
const LOADED = ["crypto", "child_process", "util", "v8", "fs", "fs/promises", "timers/promises", "os", "buffer"];
const CPU = "const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };";
const WARM_UP = 2;

/** Loads the guard's file in processes of their own. */
export function measureGuardLoad(rounds: number): GuardLoad {
  const cache = mkdtempSync(join(tmpdir(), "bench-cache-"));
  try {
    const script =
      LOADED.map((name) => `import "node:${name}";`).join("") +
      `${CPU} gc(); const heap = process.memoryUsage().heapUsed, before = cpu(); await import(${JSON.stringify(GUARD)});` +
      "const ms = cpu() - before; gc(); console.log(ms, process.memoryUsage().heapUsed - heap);";
    const load = (env: Record<string, string>): number[] =>
      output(["--expose-gc", "--input-type=module", "-e", script], env).split(" ").map(Number);
    const cold: number[][] = [];
    const cached: number[][] = [];
    for (let round = -WARM_UP; round < rounds; round++) {
      const [one, other] = [load({}), load({ NODE_COMPILE_CACHE: cache })];
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

/** Runs `openclaw --version` of both base releases, unpatched and patched in turn. */
export async function measureVersions(rounds: number): Promise<VersionCost[]> {
  const home = mkdtempSync(join(tmpdir(), "bench-home-"));
  try {
    const costs: VersionCost[] = [];
    for (const { release } of RELEASES) {
      const { stock, patched } = await ensurePatched(release);
      const hook = `data:text/javascript,${encodeURIComponent(`${CPU} process.on("exit", () => process.stderr.write("cpu " + cpu()));`)}`;
      const cpuOf = (folder: string): number => {
        const { stderr } = run(["--import", hook, join(folder, "openclaw.mjs"), "--version"], {
          HOME: home,
          OPENCLAW_HOME: home,
          OPENCLAW_STATE_DIR: join(home, "state"),
          OPENCLAW_NO_UPDATE_CHECK: "1",
        });
        // OpenClaw may start itself again with other options: the CPU times of both processes count.
        const sum = [...stderr.matchAll(/cpu ([\d.]+)/g)].reduce((total, [, ms]) => total + Number(ms), 0);
        if (sum === 0)
          throw new Error(`openclaw --version of ${folder} ended without its CPU time: ${stderr.slice(-200)}`);
        return sum;
      };
      const pairs: { base: number; other: number }[] = [];
      for (let round = -WARM_UP; round < rounds; round++) {
        const first = round % 2 === 0 ? cpuOf(stock) : undefined;
        const other = cpuOf(patched);
        const base = first ?? cpuOf(stock);
        if (round >= 0) pairs.push({ base, other });
      }
      const { ratio, low, high } = ratioOf(pairs);
      costs.push({
        release,
        rounds,
        stockMs: median(pairs.map(({ base }) => base)),
        patchedMs: median(pairs.map(({ other }) => other)),
        ratio,
        interval: [low, high],
      });
    }
    return costs;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function run(words: readonly string[], env: Record<string, string>): { stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], ...env },
  });
  if (status !== 0) throw new Error(`node ${words.slice(0, 3).join(" ")} ended with ${status}: ${stderr.slice(-300)}`);
  return { stdout, stderr };
}

function output(words: readonly string[], env: Record<string, string>): string {
  return run(words, env).stdout.trim();
}
