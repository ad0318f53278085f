import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { answersWhile, stubOpenClaw, WORKS } from "./stub.ts";
import { proveBeside } from "./neighbour.ts";
import type { Release } from "../../src/patching/index.ts";

const canPlay = process.getuid?.() === 0 && existsSync("/proc/net/tcp");

describe.skipIf(!canPlay)("another user of the machine", () => {
  test.each(["fail", "say", "hold"] as const)("cannot make a proof fail (%s)", async (mode) => {
    expect(await proveBeside(mode, stubOpenClaw(WORKS))).toMatchObject({ verdict: "proven" });
  });

  test("cannot make a proof pass", async () => {
    expect(await proveBeside("pass", stubOpenClaw(answersWhile("true")))).toMatchObject({ verdict: "patch" });
  });

  test.each(BASE_RELEASES)("takes no part in the proof of OpenClaw %s", async (release) => {
    const { patched } = await ensurePatched(release as Release);
    expect(await proveBeside("say", patched)).toMatchObject({ verdict: "proven" });
  });
});
