/** A gateway with the plugin, under a supervisor, on an OpenClaw that an update has left without the patch. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { settingsWithPeople } from "../../harness/gateway/people.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { newFolder } from "../../harness/temporary.ts";
import { shareTree } from "../../src/patching/write/copy-tree.ts";

export const RELEASE = "2026.9.6";
export const KEY = "agent:main:sick";

export interface UpdatedGateway {
  readonly gateway: Gateway;
  /** OpenClaw's package. */
  readonly openclaw: string;
  /** What the operator was told in chat. */
  letters(): string;
  /** Sends a message to the corrupt session, and returns the answer. */
  say(text: string): Promise<string>;
  /** Waits for a state of things; the error has all that the gateway printed. */
  until(what: () => boolean, seconds?: number): Promise<void>;
}

/** A copy of the published release, for one gateway or several. */
export function updatedInstallation(): string {
  const installation = join(newFolder(), "installation");
  shareTree(join(releasesFolder(), RELEASE, "stock"), installation);
  return installation;
}

export async function updatedGateway(
  providerUrl: string,
  installation: string = updatedInstallation(),
): Promise<UpdatedGateway> {
  const openclaw = join(installation, "node_modules", "openclaw");
  const config = { logLevel: "info", keepPatched: { enabled: true }, notify: { channel: "letterbox", to: "owner" } };
  const { settings, env } = settingsWithPeople(join(openclaw, "dist"), ["letterbox:owner-1"], config);
  const file = join(newFolder(), "letters");
  const gateway = await openGateway({
    root: installation,
    release: RELEASE,
    providerUrl,
    scopes: ["operator.read", "operator.write", "operator.admin"],
    settings,
    env: { ...env, LETTERBOX: file, OPENCLAW_SUPERVISOR_MODE: "external", OPENCLAW_NO_RESPAWN: "" },
  });
  await gateway.seed(KEY, readFileSync(transcriptPath("a-first-message-is-a-result"), "utf8"));
  return {
    gateway,
    openclaw,
    letters: () => (existsSync(file) ? readFileSync(file, "utf8") : ""),
    say: async (text) => (await gateway.send(KEY, text)).finalText,
    async until(what, seconds = 240) {
      const end = Date.now() + seconds * 1000;
      while (!what()) {
        if (Date.now() > end) throw new Error(`not within ${seconds} s; the gateway printed:\n${gateway.log()}`);
        await sleep(20);
      }
    },
  };
}
