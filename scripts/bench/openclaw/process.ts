import { join } from "node:path";
import { startOpenClaw, type OpenClawDriver } from "../../../harness/openclaw/index.ts";
import { startProvider, type StrictProvider } from "../../../harness/providers/index.ts";
import type { Release } from "../../../src/patching/base/releases.ts";
import type { Gateway } from "../../../harness/gateway/index.ts";
import { listChildren } from "../cpu.ts";

/** A driven OpenClaw in a process of its own, with a provider of its own. */
export interface MeasuredOpenClaw {
  readonly driver: OpenClawDriver;
  readonly provider: StrictProvider;
  readonly pid: number;
  close(): Promise<void>;
}

/** Returns the process that `start` starts, with what it gives; no other child may be started meanwhile. */
async function startChild<T>(
  what: string,
  start: () => Promise<T>,
): Promise<{ readonly pid: number; readonly given: T }> {
  const known = listChildren(process.pid);
  const given = await start();
  const pid = listChildren(process.pid).find((child) => !known.includes(child));
  if (pid === undefined) throw new Error(`the process of ${what} is not to be found`);
  return { pid, given };
}

/** Starts a gateway and returns its process, when it takes a client; no other child may be started meanwhile. */
export async function startGateway(gateway: Gateway): Promise<number> {
  const { pid } = await startChild(`the gateway of OpenClaw ${gateway.release}`, () => gateway.start());
  return pid;
}

/**
 * Starts the OpenClaw of an installation (its folder `openclaw`). Throws where its process is not to be found: no other
 * child may be started meanwhile.
 */
export async function startMeasured(
  release: Release,
  folder: string,
  { env = {}, turnTimeoutMs = 60_000 }: { env?: Record<string, string>; turnTimeoutMs?: number } = {},
): Promise<MeasuredOpenClaw> {
  const provider = await startProvider();
  try {
    const root = join(folder, "..", "..");
    const { pid, given: driver } = await startChild(`OpenClaw ${release}`, () =>
      startOpenClaw({ root, release, providerUrl: provider.url, turnTimeoutMs, env }),
    );
    const close = async (): Promise<void> => {
      await driver.close();
      await provider.close();
    };
    return { driver, provider, pid, close };
  } catch (error) {
    await provider.close();
    throw error;
  }
}
