import { expect, test } from "vitest";
import { gateways } from "./gateway-cases.ts";
import { openGateway } from "./index.ts";

// 2026.9.6 answers in test/recovery/messages.slow.test.ts too; the same of it: gateway.heavy.test.ts.
gateways("2026.2.3");

test("says what is missing when a release is not there", async () => {
  await expect(openGateway({ root: "nowhere", release: "2026.2.3", providerUrl: "" })).rejects.toThrow(
    "expected OpenClaw 2026.2.3 in nowhere",
  );
});
