import { join } from "node:path";
import { afterEach } from "vitest";
import { openGateway, type Gateway, type GatewayOptions } from "../../harness/gateway/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";

/** A started gateway of a patched OpenClaw, and the strict provider that it talks to. */
export interface Patched {
  gateway: Gateway;
  provider: StrictProvider;
}

let provider: StrictProvider | undefined;
let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.close();
  await provider?.close();
  [gateway, provider] = [undefined, undefined];
});

/** Starts the patched gateway of a base release; it and its provider are closed behind the test, which has one. */
export async function startPatched(release: string, options: Partial<GatewayOptions> = {}): Promise<Patched> {
  provider = await startProvider();
  const root = join(releasesFolder(), release, "patched");
  gateway = await openGateway({ root, release, providerUrl: provider.url, ...options });
  await gateway.start();
  return { gateway, provider };
}
