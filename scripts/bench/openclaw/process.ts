import { join } from "node:path";
import { startOpenClaw, type OpenClawDriver } from "../../../harness/openclaw/index.ts";
import { startProvider, type StrictProvider } from "../../../harness/providers/index.ts";
import type { Release } from "../../../src/patching/base/releases.ts";
import { childrenOf } from "../cpu.ts";

/** A driven OpenClaw in a process of its own, with a provider of its own. */
export interface MeasuredOpenClaw {
  readonly driver: OpenClawDriver;
  readonly provider: StrictProvider;
  readonly pid: number;
  close(): Promise<void>;
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
  const known = childrenOf(process.pid);
  const provider = await startProvider();
  let driver: OpenClawDriver | undefined;
  try {
    const root = join(folder, "..", "..");
    driver = await startOpenClaw({ root, release, providerUrl: provider.url, turnTimeoutMs, env });
    const pid = childrenOf(process.pid).find((child) => !known.includes(child));
    if (pid === undefined) throw new Error(`the process of OpenClaw ${release} is not to be found`);
    const started = driver;
    const close = async (): Promise<void> => {
      await started.close();
      await provider.close();
    };
    return { driver, provider, pid, close };
  } catch (error) {
    await driver?.close();
    await provider.close();
    throw error;
  }
}
