/** What is said of real gateways. With names of processes that are ours: front-door.slow.test.ts. */
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openGateway } from "../../harness/gateway/index.ts";
import { BASE_RELEASES, releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider } from "../../harness/providers/index.ts";
import { cli, userEnvironment } from "./fixture.ts";

test.each(
  BASE_RELEASES.flatMap((release) => [
    [release, "stock", {}, "is NOT protected, if it runs this OpenClaw, which is not patched."],
    [release, "patched", {}, "is protected, if it runs this OpenClaw."],
    [
      release,
      "patched",
      { OPENCLAW_INTEGRITY: "off" },
      "is NOT protected: it was started with OPENCLAW_INTEGRITY=off.",
    ],
  ]),
)("the gateway of OpenClaw %s, %s and started with %j, %s", async (release, kind, env, said) => {
  const provider = await startProvider();
  onTestFinished(() => provider.close());
  const root = join(releasesFolder(), release as string, kind as string);
  const gateway = await openGateway({
    root,
    release: release as string,
    providerUrl: provider.url,
    env: env as Record<string, string>,
  });
  onTestFinished(() => gateway.close());
  await gateway.start();
  const own = { ...userEnvironment(dirname(gateway.stateDir)), OPENCLAW_STATE_DIR: gateway.stateDir };
  for (const args of [[], ["status"], ["sessions", "doctor"]])
    expect(cli(args, root, own).stdout.replaceAll(/\s+/g, " "), args.join(" ")).toContain(said);
});
