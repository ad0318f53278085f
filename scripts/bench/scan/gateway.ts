/** For how long the event loop of a real gateway stands still while its plugin scans 1,000 sessions. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureRelease } from "../../../harness/openclaw/ensure-release.ts";
import { openGateway, type Gateway } from "../../../harness/gateway/index.ts";
import { asOperator, OWNERS_ENTRY, settingsWithPeople } from "../../../harness/gateway/people.ts";
import { startProvider } from "../../../harness/providers/index.ts";

/** What was measured in one gateway, in milliseconds. */
export interface GatewayScanCost {
  release: string;
  /**
   * How long `/l0-scan all` took, for how long at most everything else had to wait, and for how long in its midst,
   * while nothing but the scan went on.
   */
  scanMs: number;
  blockedMs: number;
  midstMs: number;
  /** The same for `/l0-incidents`, which only reads a folder: what a command costs that gateway anyway. */
  otherMs: number;
  otherBlockedMs: number;
}

const ROUNDS = 5;
/** What loop-delay.mjs writes covers so much time. */
const SPAN_MS = 250;
const EDGE_MS = 300;
const PRELOAD = new URL("../loop-delay.mjs", import.meta.url).href;
const KEY = "agent:main:bench";
const STORES = { "2026.2.3": "makeFiles", "2026.9.6": "makeRows" } as const;

/** Measures both base releases, unpatched, with the built plugin. */
export async function measureGatewayScans(): Promise<GatewayScanCost[]> {
  const costs: GatewayScanCost[] = [];
  for (const release of Object.keys(STORES) as (keyof typeof STORES)[]) costs.push(await measureGateway(release));
  return costs;
}

async function measureGateway(release: keyof typeof STORES): Promise<GatewayScanCost> {
  const { stock } = await ensureRelease(release, { say: (line) => console.error(line) });
  const folder = mkdtempSync(join(tmpdir(), "bench-gateway-"));
  const file = join(folder, "delays");
  writeFileSync(file, "");
  const provider = await startProvider();
  const { settings, env } = settingsWithPeople(join(stock, "dist"), [OWNERS_ENTRY]);
  const gateway = await openGateway({
    root: join(stock, "..", ".."),
    release,
    providerUrl: provider.url,
    scopes: ["operator.read", "operator.write", "operator.admin"],
    settings,
    env: { ...env, LOOP_DELAY_FILE: file, NODE_OPTIONS: `--import=${PRELOAD}` },
  });
  try {
    // In a process of its own: OpenClaw starts no gateway on a database that another process has open.
    const make = `import { ${STORES[release]} as make } from ${JSON.stringify(new URL("scan.ts", import.meta.url).href)}; await make(${JSON.stringify(gateway.stateDir)}); process.exit();`;
    execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", make], { stdio: "ignore" });
    await gateway.start();
    await asOperator(gateway, KEY, "/l0-scan");
    // What a gateway does after its start is its own affair.
    await sleep(20_000);
    const scan = await worst(gateway, "/l0-scan all", file);
    const other = await worst(gateway, "/l0-incidents", file);
    return {
      release,
      scanMs: scan.tookMs,
      blockedMs: scan.blockedMs,
      midstMs: scan.midstMs,
      otherMs: other.tookMs,
      otherBlockedMs: other.blockedMs,
    };
  } finally {
    await gateway.close();
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Worst {
  readonly tookMs: number;
  readonly blockedMs: number;
  /** Without the beginning and the end, which are the gateway's own handling of a command. */
  readonly midstMs: number;
}

async function worst(gateway: Gateway, command: string, file: string): Promise<Worst> {
  const rounds: { from: number; to: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = Date.now();
    await asOperator(gateway, KEY, command);
    rounds.push({ from, to: Date.now() });
    await sleep(1000);
  }
  const delays = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { at: number; maxMs: number });
  const longest = (before: number, behind: number): number =>
    Math.max(
      0,
      ...delays
        .filter(({ at }) => rounds.some(({ from, to }) => at - SPAN_MS >= from + before && at <= to - behind))
        .map(({ maxMs }) => maxMs),
    );
  return {
    tookMs: Math.max(...rounds.map(({ from, to }) => to - from)),
    blockedMs: longest(-SPAN_MS, -SPAN_MS),
    midstMs: longest(EDGE_MS, EDGE_MS),
  };
}
