import { expect, it } from "vitest";
import { gatewaySentences, gatewayStep, isUnguarded } from "./gateways.ts";

const GATEWAY = { pid: 7, since: undefined };
const said = (reason: string) => ({ state: "unknown", reason, at: Date.UTC(2026, 0, 2, 3, 4), root: "/o" }) as const;

it("what a gateway has found itself is told with its time, but not what was missing then and is known better now", () => {
  const [proven, late] = gatewaySentences([
    { ...GATEWAY, guard: "proven", said: said("It was tried.") },
    { ...GATEWAY, guard: "earlier", said: said("Run `apply`.") },
  ]);
  expect(proven).toMatchObject({
    text: "The gateway that runs (process 7) is protected. It looked itself, at 2026-01-02 03:04 UTC: It was tried.",
    tone: "good",
  });
  expect(late?.text).toMatch(/NOT protected.*it was started before the patch\.$/);
});

it("a gateway that its own trial has refuted is not protected, and a command says more", () => {
  const refuted = { ...GATEWAY, guard: "refuted", said: said("It lost a result.") } as const;
  expect(isUnguarded(refuted)).toBe(true);
  expect(gatewaySentences([refuted])[0]).toMatchObject({ tone: "bad", text: expect.stringContaining("lost a") });
  expect(gatewayStep(refuted)?.command).toContain("prove");
});
