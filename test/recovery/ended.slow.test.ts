import { expect, it } from "vitest";
import { patience } from "../../harness/patience.ts";
import { startPatched } from "./patched-gateway.ts";

const KEY = "agent:main:main";
const NOTE = "OpenClaw was stopped and started again";
// 2026.9 says both itself. In 2026.2 the sub-agent is awaited for good, and the history says "still running".
it("the sub-agent and the background command that a kill of OpenClaw 2026.2.3 has ended are named to the model, once", async () => {
  const tools = ["exec", "process", "sessions_spawn"];
  const { gateway, provider } = await startPatched("2026.2.3", { tools });
  let isStarted = false;
  provider.front(({ raw }) => {
    if (!raw.includes("start both"))
      return { kind: "tool", calls: [{ name: "exec", arguments: { command: "sleep 60" } }] };
    if (isStarted) return { kind: "text", text: "They run." };
    isStarted = true;
    const spawn = { name: "sessions_spawn", arguments: { task: "count the herons" } };
    return { kind: "tool", calls: [spawn, { name: "exec", arguments: { command: "sleep 61", background: true } }] };
  });
  await gateway.send(KEY, "start both");
  const isAtWork = (): boolean => provider.requests.some(({ raw }) => !raw.includes("start both"));
  await expect.poll(isAtWork, { timeout: patience(30_000) }).toBe(true);
  for (const question of ["how is it going?", "and now?"]) {
    await gateway.kill();
    await gateway.start();
    await gateway.send(KEY, question);
    const { raw } = provider.requests.at(-1)!;
    expect(raw.split(NOTE), question).toHaveLength(2);
    expect(raw).toMatch(/- sub-agent \\"count the herons\\"\\n- command \\"[\w-]+\\"/);
  }
});
