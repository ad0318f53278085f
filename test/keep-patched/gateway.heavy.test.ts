/**
 * A real gateway under a supervisor, whose OpenClaw an update has left without the patch. The test starts the gateway
 * again when it ends, as a supervisor does; the updates are those of a package manager: another folder in its place.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { settingsWithPeople } from "../../harness/gateway/people.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { newFolder } from "../../harness/temporary.ts";
import { status } from "../../src/patching/apply.ts";
import { shareTree } from "../../src/patching/write/copy-tree.ts";

const RELEASE = "2026.9.6";
const KEY = "agent:main:sick";
const SCOPES = ["operator.read", "operator.write", "operator.admin"];

let provider: StrictProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());

describe("a supervised gateway that starts without the patch", () => {
  let folder: string;
  let installation: string;
  let openclaw: string;
  let gateway: Gateway;
  beforeEach(async () => {
    folder = newFolder();
    installation = join(folder, "installation");
    update();
    openclaw = join(installation, "node_modules", "openclaw");
    const config = { logLevel: "info", keepPatched: { enabled: true }, notify: { channel: "letterbox", to: "owner" } };
    const { settings, env } = settingsWithPeople(join(openclaw, "dist"), ["letterbox:owner-1"], config);
    gateway = await openGateway({
      root: installation,
      release: RELEASE,
      providerUrl: provider.url,
      scopes: SCOPES,
      settings,
      env: {
        ...env,
        LETTERBOX: join(folder, "letters"),
        OPENCLAW_SUPERVISOR_MODE: "external",
        OPENCLAW_NO_RESPAWN: "",
      },
    });
    await gateway.seed(KEY, readFileSync(transcriptPath("a-first-message-is-a-result"), "utf8"));
    return () => gateway.close();
  });

  function update(): void {
    rmSync(installation, { recursive: true, force: true });
    shareTree(join(releasesFolder(), RELEASE, "stock"), installation);
  }

  const letters = (): string => {
    const file = join(folder, "letters");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  };
  const say = async (text: string): Promise<string> => (await gateway.send(KEY, text)).finalText;
  async function until(what: () => boolean, seconds = 240): Promise<void> {
    const end = Date.now() + seconds * 1000;
    while (!what()) {
      if (Date.now() > end) throw new Error(`not within ${seconds} s; the gateway printed:\n${gateway.log()}`);
      await sleep(200);
    }
  }

  it("patches itself, proves it, restarts once, tells the operator, and answers before and afterwards", async () => {
    await gateway.start();
    expect(await say("before")).toMatch(/^ok/);
    const how = await gateway.whenEnded();
    expect(how).toContain("(0)");
    expect(status(openclaw).state).toBe("patched");
    await gateway.start();
    expect(await say("afterwards")).toMatch(/^ok/);
    await until(() => letters().includes("active again"));
    expect(letters()).toContain("proven with corrupt sessions on this machine");
    // Nothing restarts it a second time.
    await sleep(70_000);
    expect(await say("and later")).toMatch(/^ok/);
    expect(gateway.log().match(/restarts as soon as/g)).toHaveLength(1);
  }, 600_000);
});
