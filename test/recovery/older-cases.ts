/** What only OpenClaw 2026.2.3 does to a conversation, each time in one of its own. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { patience } from "../../harness/patience.ts";
import type { Patched } from "./patched-gateway.ts";

/** Its replies without a parent, its retries that it takes for the end of a turn, and its own cutting. */
export function olderOnly(patched: Patched): void {
  it("chat commands cut no history off and leave no copies of the transcript", async () => {
    const { gateway, provider } = patched;
    const key = "agent:main:commands";
    await gateway.send(key, "the heron is grey");
    for (const bird of ["magpie", "wren"]) {
      // OpenClaw answers by itself, and appends its reply without a parent.
      await gateway.send(key, "/status");
      await gateway.send(key, `and the ${bird}?`);
    }
    const last = provider.requests.at(-1)?.raw;
    for (const bird of ["heron", "magpie", "wren"]) expect(last).toContain(bird);
    const folder = join(gateway.stateDir, "agents", "main", "sessions");
    expect(readdirSync(folder).filter((name) => name.endsWith(".bak"))).toEqual([]);
  });

  // OpenClaw takes the turn for over when the answer to its retry begins to call tools.
  it("a turn with a broken answer keeps its results and its final answer", async () => {
    const { gateway, provider } = patched;
    const key = "agent:main:retried";
    provider.script(
      { kind: "fault", fault: "drop-in-tool" },
      { kind: "tool", calls: [{ name: "exec", arguments: { command: "sleep 1; echo a grey $((40 + 2)) heron" } }] },
      { kind: "text", text: "the magpie has landed" },
    );
    await gateway.send(key, "count them");
    await vi.waitUntil(() => provider.requests.length >= 3, patience(30_000));
    await sleep(2000);
    await gateway.send(key, "and now?");
    const last = provider.requests.at(-1)?.raw;
    expect(last).toContain("a grey 42 heron");
    expect(last).toContain("the magpie has landed");
    expect(last).not.toContain("missing tool result");
  });

  // Unpatched, the file that sessions.compact leaves has no header, and the next message finds an empty conversation.
  it("what sessions.compact cuts off stands in words in the next requests", async () => {
    const { gateway, provider } = patched;
    const key = "agent:main:cut";
    const said = ["remember the white heron", "and the blue one", "and the green one"];
    for (const text of said) await gateway.send(key, text);
    for (const last of ["which ones?", "are these all?"]) {
      const { compacted } = await gateway.request("sessions.compact", { key, maxLines: 4 });
      expect(compacted).toBe(true);
      await gateway.send(key, last);
      const { raw, status } = provider.requests.at(-1)!;
      expect(status).toBe(200);
      for (const text of [...said, last]) expect(raw).toContain(text);
    }
  });
}
