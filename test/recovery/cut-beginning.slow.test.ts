import { expect, it } from "vitest";
import { startPatched } from "./patched-gateway.ts";

const KEY = "agent:main:main";
// Unpatched, the file that sessions.compact leaves has no header, and the next message finds an empty conversation.
it("what sessions.compact cuts off stands in words in the next requests of OpenClaw 2026.2.3", async () => {
  const scopes = ["operator.read", "operator.write", "operator.admin"];
  const { gateway, provider } = await startPatched("2026.2.3", { scopes });
  for (const text of ["remember the grey heron", "and the blue one", "and the white one"])
    await gateway.send(KEY, text);
  for (const last of ["which ones?", "are these all?"]) {
    const { compacted } = await gateway.request("sessions.compact", { key: KEY, maxLines: 4 });
    expect(compacted).toBe(true);
    await gateway.send(KEY, last);
    const { raw, status } = provider.requests.at(-1)!;
    expect(status).toBe(200);
    for (const text of ["grey heron", "the blue one", "the white one", last]) expect(raw).toContain(text);
  }
  expect(gateway.forgotten()).toEqual([]);
});
