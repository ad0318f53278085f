import { describe, expect, test } from "vitest";
import { canPlay, proveBeside, takesNoPart } from "./neighbour.ts";
import { answersWhile, stubOpenClaw, WORKS } from "./stub.ts";

describe.skipIf(!canPlay())("another user of the machine", () => {
  test.each(["fail", "say", "hold"] as const)("cannot make a proof fail (%s)", async (mode) => {
    expect(await proveBeside(mode, stubOpenClaw(WORKS))).toMatchObject({ verdict: "proven" });
  });

  test("cannot make a proof pass", async () => {
    expect(await proveBeside("pass", stubOpenClaw(answersWhile("true")))).toMatchObject({ verdict: "patch" });
  });

  // OpenClaw 2026.9.6 takes a minute: neighbour.heavy.test.ts.
  takesNoPart("2026.2.3");
});
