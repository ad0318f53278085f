/** What the plugin does where OpenClaw itself is not patched. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { asOperator, OWNERS_ENTRY, settingsWithPeople } from "../../harness/gateway/people.ts";

const KEY = "agent:main:sick";
const OPERATOR = ["operator.read", "operator.write", "operator.admin"];

/** The plugin in a gateway of a release, which tells the operator's channel of what it finds where that is wanted. */
export interface Played {
  readonly release: string;
  readonly hasChannel: boolean;
}

/** The third incident of the case study: the store was corrupt before the gateway started. */
export function pluginAlone(played: Played): void {
  describe(`the plugin in a real gateway of OpenClaw ${played.release} without the core patch`, () => {
    cases(played);
  });
}

function cases({ release, hasChannel }: Played): void {
  const root = join(releasesFolder(), release, "stock");
  const hasRows = release === "2026.9.6";
  let folder: string;
  let letters: string;
  let provider: StrictProvider;
  let gateway: Gateway;

  beforeAll(async () => {
    folder = newFolder();
    letters = join(folder, "letters");
    provider = await startProvider();
    const notify = hasChannel ? { notify: { channel: "letterbox", to: "owner" } } : {};
    const config = { logLevel: "info", ...notify };
    const { settings, env } = settingsWithPeople(
      join(root, "node_modules", "openclaw", "dist"),
      [OWNERS_ENTRY],
      config,
    );
    const environment = { ...env, LETTERBOX: letters };
    gateway = await openGateway({
      root,
      release,
      providerUrl: provider.url,
      scopes: OPERATOR,
      settings,
      env: environment,
    });
    await gateway.seed(KEY, readFileSync(transcriptPath("a-first-message-is-a-result"), "utf8"));
    await gateway.start();
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
  });

  const say = async (text: string): Promise<string> => (await gateway.send(KEY, text)).finalText;
  const incidents = (): Record<string, unknown>[] => {
    const logs = join(gateway.stateDir, "logs");
    const names = existsSync(logs) ? readdirSync(logs).filter((name) => name.startsWith("l0-incident-")) : [];
    return names.toSorted().map((name) => ({
      mode: statSync(join(logs, name)).mode & 0o777,
      ...(JSON.parse(readFileSync(join(logs, name), "utf8")) as object),
    }));
  };

  it("a session that was corrupt before the gateway started is whole before its first message is answered", async () => {
    expect(await say("are you there?")).toBe("ok 1");
    const [first] = incidents();
    expect(first).toMatchObject({ action: "repaired", sessionKey: KEY, mode: 0o600 });
    // Found by the scan at the start or before the run, and repaired once.
    expect(incidents().filter(({ sessionId }) => sessionId === first?.["sessionId"])).toHaveLength(1);
    // What was said before is in the request again: OpenClaw alone had lost it, or was refused.
    expect(JSON.stringify(provider.requests.at(-1)?.body).length).toBeGreaterThan(2000);
  });

  it("/l0-status tells the operator of it, and that the patch is missing, with the command that puts it back", async () => {
    const status = await asOperator(gateway, KEY, "/l0-status");
    expect(await asOperator(gateway, KEY, "/integrity-status")).toContain("patch");
    expect(status).toContain(`Core patch: NOT ACTIVE. OpenClaw ${release} is not patched.`);
    expect(status).toContain("Run `npx openclaw-integrity apply` and restart the gateway.");
    expect(status).toMatch(/^Sessions: 1, all valid/m);
    expect(status).toContain("Incidents: 1, the last ");
    if (hasRows) expect(status).toMatch(/^This conversation: valid, \d+ messages$/m);
    expect(await asOperator(gateway, KEY, "/l0-incidents")).toContain("a tool result without a call");
  });

  it("the log says it too", () => {
    expect(gateway.log()).toContain("clawos-l0: the core patch is not active");
  });

  it.runIf(hasChannel)("the operator's channel says it too", async () => {
    // OpenClaw's command line takes its time to start.
    for (let tries = 0; tries < 600 && letterTexts().length < 2; tries++) await sleep(200);
    expect(letterTexts().toSorted()).toEqual([
      "OpenClaw session integrity: 1 stored session was found faulty: 1 repaired. /l0-incidents has the details.",
      expect.stringMatching(
        /^OpenClaw session integrity: the core patch is not active: .*npx openclaw-integrity apply/,
      ),
    ]);
  });

  it.runIf(hasRows)("no command answers a client that may not operate the gateway", async () => {
    const said: string[] = [];
    for (const command of ["/l0-status", "/l0-scan", "/l0-incidents", "/l0-checkpoints", "/l0-rollback x"]) {
      const { finalText, error } = await gateway.sendAs(["operator.read", "operator.write"], KEY, command);
      said.push(`${finalText}${error ?? ""}`);
    }
    expect(said.join("\n")).toMatch(/operator\.admin|for operators/);
    for (const text of said) expect(text).toMatch(/operator\.admin|for operators|^$/);
    for (const text of said)
      expect(text).not.toMatch(/Sessions:|\d+ sessions|valid|session [\da-f]{8}-|No checkpoints|found none/);
  });

  function letterTexts(): string[] {
    // The file exists before its first line is written, and a line may be half there.
    const lines = existsSync(letters) ? readFileSync(letters, "utf8").split("\n").slice(0, -1) : [];
    return lines.map((line) => (JSON.parse(line) as { text: string }).text);
  }
}
