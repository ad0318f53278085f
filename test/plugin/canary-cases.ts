/** What real gateways find out about themselves, and what others are told of that. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { asOperator, OWNERS_ENTRY, settingsWithPeople } from "../../harness/gateway/people.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { patience } from "../../harness/patience.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { newFolder } from "../../harness/temporary.ts";
import { isAlive } from "../../src/base/processes.ts";
import { gatewaysAtHand } from "../../src/cli/gateways.ts";
import { gatewaySentences, gatewayStep } from "../../src/doctor/index.ts";
import { apply } from "../../src/patching/apply.ts";
import { shareTree } from "../../src/patching/write/copy-tree.ts";
import { type Protection, readProtections } from "../../src/store/openclaw/protection.ts";

const WAIT = { timeout: patience(300_000), interval: 50 };
const OPERATOR = ["operator.read", "operator.write", "operator.admin"];

interface Opened {
  readonly gateway: Gateway;
  readonly provider: StrictProvider;
  readonly openclaw: string;
}

async function open(release: string, root: string, more: Record<string, string> = {}): Promise<Opened> {
  const provider = await startProvider();
  const openclaw = join(root, "node_modules", "openclaw");
  const { settings, env } = settingsWithPeople(join(openclaw, "dist"), [OWNERS_ENTRY], { logLevel: "info" });
  const common = { root, release, providerUrl: provider.url, scopes: OPERATOR, settings };
  const gateway = await openGateway({ ...common, env: { ...env, ...more } });
  onTestFinished(async () => {
    await gateway.close();
    await provider.close();
  });
  return { gateway, provider, openclaw };
}

/** What the gateway has published, as soon as it is what is waited for. */
async function found({ stateDir }: Gateway, isWanted: (found: Protection) => boolean): Promise<Protection> {
  return vi.waitFor(() => {
    const wanted = [...readProtections(stateDir).values()].find(isWanted);
    if (wanted === undefined) throw new Error("the gateway has not found that out");
    return wanted;
  }, WAIT);
}

/** What doctor and status say of the gateways that run with its state, and what they tell a person to do. */
function told({ gateway, openclaw }: Opened, isPatched: boolean): string {
  vi.stubEnv("OPENCLAW_STATE_DIR", gateway.stateDir);
  const gateways = gatewaysAtHand([{ root: openclaw, isPatched }]);
  const steps = (gateways ?? []).map((one) => gatewayStep(one)?.command);
  return [...gatewaySentences(gateways).map(({ text }) => text), ...steps].join("\n");
}

const homes = ({ stateDir }: Gateway): string[] =>
  [join(stateDir, "..", "tmp"), tmpdir(), "/tmp"].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.startsWith("openclaw-integrity-proof-"))
      .map((name) => join(folder, name)),
  );

/** The cases for a release. */
export function canaries(release: string): void {
  afterEach(() => void vi.unstubAllEnvs());

  describe(`a gateway of OpenClaw ${release} with the plugin`, () => {
    it(
      "that is patched tries itself at each start, elsewhere than with the operator's store and provider; kill -9 in between leaves nothing",
      { timeout: patience(900_000) },
      async () => {
        const opened = await open(release, join(releasesFolder(), release, "patched"));
        const { gateway, provider } = opened;
        const before = homes(gateway);
        await gateway.start();
        const home = await vi.waitFor(() => {
          const one = homes(gateway).find((path) => !before.includes(path) && existsSync(join(path, "keeper")));
          if (one === undefined) throw new Error("no trial has begun");
          return one;
        }, WAIT);
        const keeper = Number(readFileSync(join(home, "keeper"), "utf8").split(" ")[0]);
        expect(told(opened, true)).toContain("Its trial has not ended yet.");
        await gateway.kill();
        await vi.waitFor(() => expect([isAlive(keeper), existsSync(home)]).toEqual([false, false]), WAIT);
        expect(readProtections(gateway.stateDir).size).toBe(0);

        await gateway.start();
        expect((await found(gateway, () => true)).state).toBe("unknown");
        expect((await found(gateway, ({ reason }) => !reason.includes("not ended"))).state).toBe("protected");
        expect(told(opened, true)).toMatch(
          /process \d+, since .* is protected\. It looked itself, at .*in a trial\.$/m,
        );
        expect(await asOperator(gateway, "agent:main:own", "/l0-status")).toMatch(/^This gateway: protected \(20/m);
        // Neither the trial's conversation nor its requests have come to the operator's.
        expect(provider.requests.filter(({ raw }) => raw.includes("PROOF"))).toEqual([]);
        expect((await gateway.send("agent:main:own", "hello")).finalText).toMatch(/^ok /);
        expect(readdirSync(join(gateway.stateDir, "agents"))).toEqual(["main"]);
      },
    );

    it(
      "that was started before its patch says so, and the patch does not change that until it restarts",
      { timeout: patience(600_000) },
      async () => {
        const folder = join(newFolder(), "installation");
        shareTree(join(releasesFolder(), release, "stock"), folder);
        const opened = await open(release, folder);
        await opened.gateway.start();
        const { reason } = await found(opened.gateway, ({ state }) => state === "not protected");
        expect(reason).toContain("is not patched. Run `npx openclaw-integrity apply` and restart the gateway.");
        expect(told(opened, false)).toMatch(/is NOT protected, if it runs this OpenClaw, which is not patched\.$/m);
        apply(opened.openclaw);
        expect(told(opened, true)).toMatch(/started before the patch\.\nopenclaw gateway restart$/);
        expect(await asOperator(opened.gateway, "agent:main:own", "/l0-status")).toContain(
          "This gateway: not protected",
        );
      },
    );

    it("that is started with the guard switched off is not protected, and starts no trial", async () => {
      const opened = await open(release, join(releasesFolder(), release, "patched"), { OPENCLAW_INTEGRITY: "off" });
      await opened.gateway.start();
      const { state, reason } = await found(opened.gateway, () => true);
      expect([state, reason]).toEqual(["not protected", expect.stringContaining("OPENCLAW_INTEGRITY=off")]);
      expect(told(opened, true)).toContain("is NOT protected: it was started with OPENCLAW_INTEGRITY=off.");
    });
  });
}
