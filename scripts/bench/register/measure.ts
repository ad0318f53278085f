/**
 * What the hook costs: a gateway's start, a turn, and a process that is not OpenClaw. The ways that are compared run in
 * turn, each round in another order, so that a slow moment of the machine hits all of them.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openGateway, type Gateway } from "../../../harness/gateway/index.ts";
import { ensurePatched } from "../../../harness/openclaw/ensure-release.ts";
import { registerEnvironment } from "../../../harness/openclaw/register.ts";
import { startProvider } from "../../../harness/providers/index.ts";
import type { Release } from "../../../src/patching/base/releases.ts";
import { cacheFolder } from "../../../src/register/cache.ts";
import { cpuWithEndedThreads } from "../cpu.ts";
import { inTurn, median } from "../measure.ts";
import { startGateway, startMeasured } from "../openclaw/process.ts";
import { makeSession, makeTurnTimer } from "../openclaw/turns.ts";

/** One way to run OpenClaw, or one process, with its CPU time in ms by round; the first of a list is the baseline. */
export interface Samples {
  readonly name: string;
  readonly cpuMs: readonly number[];
}

/** Samples that were taken in one run. */
export interface Compared {
  readonly title: string;
  readonly samples: readonly Samples[];
}

interface Way {
  readonly name: string;
  /** CPU time of one round in ms. */
  measure(): Promise<number>;
}

const TURN_WARM_UP = 10;
const TURN_ROUNDS = 20;
const TURN_MESSAGES = 200;

async function compared(title: string, ways: readonly Way[], rounds: number, warmUp: number): Promise<Compared> {
  const times = await inTurn(
    ways.map(({ measure }) => measure),
    rounds,
    warmUp,
  );
  return { title, samples: ways.map(({ name }, at) => ({ name, cpuMs: times[at]! })) };
}

/** A process that is not OpenClaw, without the hook, with an empty module in its place, and with the hook. */
export async function measureOther(rounds: number): Promise<Compared> {
  const options = {
    "node -e": [],
    "with --import of an empty module": ["--import", "data:text/javascript,"],
    "with --import of the hook": registerEnvironment()["NODE_OPTIONS"]!.split(" "),
  };
  const ways = Object.entries(options).map(([name, words]) => ({ name, measure: async () => ownCpu(words) }));
  return compared("node -e", ways, rounds, 3);
}

/** CPU time that a process has used when its script runs. */
function ownCpu(options: readonly string[]): number {
  const script = "const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)";
  const { status, stdout } = spawnSync(process.execPath, [...options, "-e", script], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
  });
  if (status !== 0) throw new Error(`node ${options.join(" ")} ended with ${status}`);
  return Number(stdout);
}

function startWay(name: string, gateway: Gateway, prepare = (): void => {}): Way {
  return {
    name,
    measure: async () => {
      prepare();
      const pid = await startGateway(gateway);
      const cpuMs = cpuWithEndedThreads(pid);
      const isFromMemory = gateway.log().includes("runs patched from memory");
      if (isFromMemory !== name.startsWith("register")) throw new Error(`${name}: patched from memory ${isFromMemory}`);
      await gateway.kill();
      return cpuMs;
    },
  };
}

/** A gateway from its start until it takes a client. */
export async function measureStarts(release: Release, rounds: number): Promise<Compared> {
  const { stock, patched } = await ensurePatched(release);
  const provider = await startProvider();
  const gateways: Gateway[] = [];
  const open = async (root: string, env: Record<string, string> = {}): Promise<Gateway> => {
    const gateway = await openGateway({ root: join(root, "..", ".."), release, providerUrl: provider.url, env });
    gateways.push(gateway);
    return gateway;
  };
  try {
    const cold = await open(stock, registerEnvironment());
    const ways = [
      startWay("stock", await open(stock)),
      startWay("patched files", await open(patched)),
      startWay("register", await open(stock, registerEnvironment())),
      startWay("register, empty cache", cold, () =>
        rmSync(cacheFolder(cold.stateDir), { recursive: true, force: true }),
      ),
    ];
    return await compared(release, ways, rounds, 1);
  } finally {
    for (const gateway of gateways) await gateway.close();
    await provider.close();
  }
}

/**
 * Turns of healthy sessions, each round by new processes: one process of the same OpenClaw costs up to a tenth more than
 * another for as long as it lives.
 */
export async function measureTurnWays(release: Release, processes: number): Promise<Compared> {
  const { stock, patched } = await ensurePatched(release);
  const transcript = makeSession(TURN_MESSAGES);
  const way = (name: string, folder: string, env: Record<string, string> = {}): Way => ({
    name,
    measure: async () => {
      const openclaw = await startMeasured(release, folder, { env });
      try {
        const turn = makeTurnTimer(openclaw, transcript, true);
        const [times] = await inTurn([turn], TURN_ROUNDS, TURN_WARM_UP);
        return median(times!);
      } finally {
        await openclaw.close();
      }
    },
  });
  const ways = [way("stock", stock), way("patched files", patched), way("register", stock, registerEnvironment())];
  return compared(release, ways, processes, 1);
}
