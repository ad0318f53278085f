import { join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { releasesFolder } from "../openclaw/releases.ts";
import { patience } from "../patience.ts";
import { startProvider, type StrictProvider } from "../providers/index.ts";
import { newFolder } from "../temporary.ts";
import { openGateway, type Gateway } from "./index.ts";
import { OWNERS_ENTRY, settingsWithPeople } from "./people.ts";

/** A patched gateway that people write to over a channel and by a client. */
export interface Peopled {
  gateway: Gateway;
  provider: StrictProvider;
  /** The file with what the agent has sent by a tool. */
  letters: string;
}

/**
 * Such a gateway for all tests around the call, whose turns may take so many seconds; the provider is reset before each
 * of them. What is returned can be used in tests only.
 */
export function sharePeopled(
  release: string,
  histories: readonly (readonly [string, string])[],
  turnSeconds: number,
): Peopled {
  const shared = {} as Peopled;
  beforeAll(async () => {
    const root = join(releasesFolder(), release, "patched");
    const { settings, env } = settingsWithPeople(join(root, "node_modules", "openclaw", "dist"), [OWNERS_ENTRY]);
    shared.provider = await startProvider();
    shared.letters = join(newFolder(), "letters");
    shared.gateway = await openGateway({
      root,
      release,
      providerUrl: shared.provider.url,
      tools: ["read", "exec", "message"],
      scopes: ["operator.read", "operator.write", "operator.admin"],
      timeoutSeconds: Math.ceil(patience(turnSeconds * 1000) / 1000),
      settings,
      env: { ...env, LETTERBOX: shared.letters },
    });
    await shared.gateway.seedAll(histories);
    await shared.gateway.start();
  });
  afterAll(async () => {
    await shared.gateway?.close();
    await shared.provider?.close();
  });
  beforeEach(() => shared.provider.reset());
  return shared;
}
