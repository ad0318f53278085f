/** When an agent may say nothing, and when a person has to hear something. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { patience } from "../patience.ts";
import { WORKSPACE_NOTE } from "../openclaw/index.ts";
import type { Step } from "../providers/index.ts";
import { MAIN, MEMBER, OWNER, say, type Person } from "./people.ts";
import type { Peopled } from "./peopled.ts";

const SIGN: Step = { kind: "text", text: "NO_REPLY" };
const READS: Step = { kind: "tool", calls: [{ name: "read", arguments: { path: WORKSPACE_NOTE.path } }] };

/** An agent that answers with the sign of silence, or with nothing. */
export function silence(peopled: Peopled, release: string): void {
  describe("an agent that says nothing", () => {
    cases(peopled, release);
  });
}

function cases(peopled: Peopled, release: string): void {
  const heard = async (who: Person | "client", text: string): Promise<string> =>
    who === "client" ? (await peopled.gateway.send(MAIN, text)).finalText : await say(peopled.gateway, who, text);

  it.each([
    ["a client", "client"],
    ["a channel", OWNER],
  ] as const)("answers a person's direct message over %s, with one more request", async (_name, who) => {
    peopled.provider.script(SIGN);
    expect(await heard(who, "hello")).toMatch(/^ok \d+$/);
    expect(peopled.provider.requests).toHaveLength(2);
  });

  it.each([
    ["the sign for it", SIGN],
    ["an empty answer", { kind: "text", text: "" }],
  ] as const)("answers a person where the agent has looked something up and ends with %s", async (_name, end) => {
    peopled.provider.script(READS, end);
    expect(await heard(OWNER, "read the note")).toMatch(/^ok \d+$/);
    expect(peopled.provider.requests).toHaveLength(3);
  });

  it("tells a person where the agent says nothing when it is asked again either", async () => {
    peopled.provider.script({ ...SIGN, times: 2 });
    expect(await heard(OWNER, "hello")).toMatch(/say it in another way|try again/);
    expect(peopled.provider.requests).toHaveLength(2);
  });

  it("says nothing behind an answer that the agent has sent by a tool", async () => {
    const sends = { action: "send", channel: "letterbox", target: "letterbox:owner-1", message: "the answer" };
    peopled.provider.script({ kind: "tool", calls: [{ name: "message", arguments: sends }] }, SIGN);
    expect(await heard(OWNER, "hello")).toBe("");
    expect(peopled.provider.requests).toHaveLength(2);
    expect(readFileSync(peopled.letters, "utf8")).toContain("the answer");
  });

  it("says nothing in a heartbeat", async () => {
    peopled.provider.script(SIGN);
    await peopled.gateway.request("wake", { mode: "now", text: "look after the door" });
    await vi.waitFor(() => expect(peopled.provider.requests).toHaveLength(1), patience(10_000));
    // Another request would follow at once.
    await sleep(1_000);
    expect(peopled.provider.requests).toHaveLength(1);
  });

  // Later releases answer here by themselves, unless they are told not to.
  it.runIf(release === "2026.2.3")("says nothing in a group", async () => {
    peopled.provider.script(SIGN);
    expect(await heard(MEMBER, "hello")).toBe("");
    expect(peopled.provider.requests).toHaveLength(1);
  });
}
