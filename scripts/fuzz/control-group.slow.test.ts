import { describe, expect, it } from "vitest";
import { controlGroup } from "./control.ts";
import { RELEASES } from "../../src/patching/base/releases.ts";

/** All 200 with CONTROL_SESSIONS=200 or `npm run fuzz -- --control`; they are split between the releases here. */
const SESSIONS = Number(process.env["CONTROL_SESSIONS"] ?? 6);
const SHARE = Math.ceil(SESSIONS / RELEASES.length);
// A whole run of all sessions takes minutes.
const TIMEOUT_MS = 60_000 + SESSIONS * 10_000;

describe.each(RELEASES.map(({ release }, index) => ({ release, from: index * SHARE })))(
  "OpenClaw $release",
  ({ release, from }) => {
    it(
      "sends the same bytes for healthy sessions with and without the patch",
      async () => {
        const all = await controlGroup(release, "patched", { from, to: from + SHARE });
        expect(
          all
            .filter(({ difference }) => difference !== undefined)
            .map(({ session, difference }) => `${session.api} ${session.seed}: ${difference}`),
        ).toEqual([]);
        expect(all.every(({ requests }) => requests === 2)).toBe(true);
      },
      TIMEOUT_MS,
    );

    it(
      "sends the same bytes twice without the patch, or the comparison would mean nothing",
      async () => {
        const all = await controlGroup(release, "stock", { from, to: from + 1 });
        expect(all.flatMap(({ difference }) => difference ?? [])).toEqual([]);
      },
      TIMEOUT_MS,
    );
  },
);
