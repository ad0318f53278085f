import { describe, expect, it } from "vitest";
import { patience } from "../../harness/patience.ts";
import { controlGroup } from "./control.ts";
import { capturedSessions, healthySessions } from "./sessions.ts";
import { RELEASES } from "../../src/patching/base/releases.ts";

/** All 200 with CONTROL_SESSIONS=200 or `npm run trial fuzz -- --control`; they are split between the releases here. */
const SESSIONS = Number(process.env["CONTROL_SESSIONS"] ?? 6);
const SHARE = Math.ceil(SESSIONS / RELEASES.length);
/** Each of so many runs of captured sessions; `npm run trial fuzz -- --control` has all of them. */
const CAPTURED_PART = 40;
// A whole run of all sessions takes minutes.
const TIMEOUT_MS = patience(120_000 + SESSIONS * 10_000);

describe.each(RELEASES.map(({ release }, index) => ({ release, from: index * SHARE })))(
  "OpenClaw $release",
  ({ release, from }) => {
    it(
      "sends the same bytes for healthy sessions with and without the patch",
      async () => {
        const all = await controlGroup(release, "patched", (apis) => [
          ...healthySessions(from, from + SHARE, apis),
          ...capturedSessions(apis).filter((_, at) => at % CAPTURED_PART === from % CAPTURED_PART),
        ]);
        expect(
          all
            .filter(({ difference }) => difference !== undefined)
            .map(({ session, difference }) => `${session.api} ${session.name}: ${difference}`),
        ).toEqual([]);
        expect(all.every(({ requests, refused }) => requests === 2 || refused !== undefined)).toBe(true);
        expect(all.some(({ session, refused }) => session.isCaptured && refused === undefined)).toBe(true);
      },
      TIMEOUT_MS,
    );
  },
);
