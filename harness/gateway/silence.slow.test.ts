import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { patience } from "../patience.ts";
import { newFolder } from "../temporary.ts";
import { WORKSPACE_NOTE } from "../openclaw/index.ts";
import { BASE_RELEASES, releasesFolder } from "../openclaw/releases.ts";
import { startProvider, type Step, type StrictProvider } from "../providers/index.ts";
import { openGateway, type Gateway } from "./index.ts";
import { MAIN, MEMBER, OWNER, OWNERS_ENTRY, say, settingsWithPeople, type Person } from "./people.ts";

const SIGN: Step = { kind: "text", text: "NO_REPLY" };
const READS: Step = { kind: "tool", calls: [{ name: "read", arguments: { path: WORKSPACE_NOTE.path } }] };

describe.each(BASE_RELEASES)("a patched gateway of OpenClaw %s whose agent says nothing", (release) => {
  const root = join(releasesFolder(), release, "patched");
  let provider: StrictProvider;
  let gateway: Gateway;
  let letters: string;
  beforeAll(async () => {
    provider = await startProvider();
    const { settings, env } = settingsWithPeople(join(root, "node_modules", "openclaw", "dist"), [OWNERS_ENTRY]);
    letters = join(newFolder(), "letters");
    gateway = await openGateway({
      root,
      release,
      providerUrl: provider.url,
      tools: ["read", "exec", "message"],
      scopes: ["operator.read", "operator.write", "operator.admin"],
      settings,
      env: { ...env, LETTERBOX: letters },
    });
    await gateway.start();
  });
  afterAll(async () => {
    await gateway?.close();
    await provider?.close();
  });
  beforeEach(() => provider.reset());

  const heard = async (who: Person | "client", text: string): Promise<string> =>
    who === "client" ? (await gateway.send(MAIN, text)).finalText : await say(gateway, who, text);

  it.each([
    ["a client", "client"],
    ["a channel", OWNER],
  ] as const)("answers a person's direct message over %s, with one more request", async (_name, who) => {
    provider.script(SIGN);
    expect(await heard(who, "hello")).toMatch(/^ok \d+$/);
    expect(provider.requests).toHaveLength(2);
  });

  it.each([
    ["the sign for it", SIGN],
    ["an empty answer", { kind: "text", text: "" }],
  ] as const)("answers a person where the agent has looked something up and ends with %s", async (_name, end) => {
    provider.script(READS, end);
    expect(await heard(OWNER, "read the note")).toMatch(/^ok \d+$/);
    expect(provider.requests).toHaveLength(3);
  });

  it("tells a person where the agent says nothing when it is asked again either", async () => {
    provider.script({ ...SIGN, times: 2 });
    expect(await heard(OWNER, "hello")).toMatch(/say it in another way|try again/);
    expect(provider.requests).toHaveLength(2);
  });

  it("says nothing behind an answer that the agent has sent by a tool", async () => {
    const sends = { action: "send", channel: "letterbox", target: "letterbox:owner-1", message: "the answer" };
    provider.script({ kind: "tool", calls: [{ name: "message", arguments: sends }] }, SIGN);
    expect(await heard(OWNER, "hello")).toBe("");
    expect(provider.requests).toHaveLength(2);
    expect(readFileSync(letters, "utf8")).toContain("the answer");
  });

  it("says nothing in a heartbeat", async () => {
    provider.script(SIGN);
    await gateway.request("wake", { mode: "now", text: "look after the door" });
    await vi.waitFor(() => expect(provider.requests).toHaveLength(1), patience(10_000));
    // Another request would follow at once.
    await sleep(2_000);
    expect(provider.requests).toHaveLength(1);
  });

  // Later releases answer here by themselves, unless they are told not to.
  it.runIf(release === "2026.2.3")("says nothing in a group", async () => {
    provider.script(SIGN);
    expect(await heard(MEMBER, "hello")).toBe("");
    expect(provider.requests).toHaveLength(1);
  });
});
