import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { openGateway, type Gateway, type GatewayOptions } from "../../harness/gateway/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";

/** A started gateway of a patched OpenClaw, and the strict provider that it talks to. */
export interface Patched {
  gateway: Gateway;
  provider: StrictProvider;
}

let own: Patched | undefined;
afterEach(async () => {
  const closed = own;
  own = undefined;
  await close(closed);
});

/** Starts the patched gateway of a base release; it and its provider are closed behind the test, which has one. */
export async function startPatched(release: string, options: Partial<GatewayOptions> = {}): Promise<Patched> {
  return (own = await start(release, options));
}

/**
 * One patched gateway for all tests around the call, each with conversations of its own; the provider is reset before
 * each of them. What is returned can be used in tests only.
 */
export function sharePatched(release: string, options: Partial<GatewayOptions> = {}): Patched {
  const shared = {} as Patched;
  beforeAll(async () => void Object.assign(shared, await start(release, options)));
  afterAll(() => close(shared));
  beforeEach(() => shared.provider.reset());
  return shared;
}

async function start(release: string, options: Partial<GatewayOptions>): Promise<Patched> {
  const provider = await startProvider();
  const root = join(releasesFolder(), release, "patched");
  const gateway = await openGateway({ root, release, providerUrl: provider.url, ...options });
  try {
    await gateway.start();
  } catch (error) {
    await close({ gateway, provider });
    throw error;
  }
  return { gateway, provider };
}

async function close(patched: Partial<Patched> | undefined): Promise<void> {
  try {
    await patched?.gateway?.close();
  } finally {
    await patched?.provider?.close();
  }
}
