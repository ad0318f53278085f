import { expect, it } from "vitest";
import { patience } from "../../harness/patience.ts";
import { RELEASES } from "../../src/patching/base/releases.ts";
import { controlGroup } from "./control.ts";
import { sameBytes } from "./same-bytes.ts";
import { healthySessions } from "./sessions.ts";

it.each(RELEASES.map(({ release }) => release))(
  "OpenClaw %s sends the same bytes twice without the patch, or the comparison with a patched one would mean nothing",
  async (release) => {
    const all = await controlGroup(release, "stock", (apis) => healthySessions(0, 3, apis));
    expect(all.flatMap(({ difference }) => difference ?? [])).toEqual([]);
  },
  patience(180_000),
);

sameBytes("2026.9.6");
