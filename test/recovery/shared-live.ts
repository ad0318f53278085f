import { afterAll, beforeAll, beforeEach } from "vitest";
import { startLive, type Live } from "../../harness/openclaw/live.ts";

/**
 * One patched OpenClaw for all tests around the call, each with sessions of its own; the provider is reset before each
 * of them. What is returned can be used in tests only.
 */
export function shareLive(release: string, env: Record<string, string> = {}): Live {
  const shared = {} as Live;
  beforeAll(async () => void Object.assign(shared, await startLive(release, "patched", undefined, { env })));
  afterAll(async () => await shared.close?.());
  beforeEach(() => {
    shared.provider.reset();
    shared.provider.relax();
  });
  return shared;
}
