/** A sample of the control group: what a patched OpenClaw sends of healthy sessions, beside the unpatched one. */
import { expect, it } from "vitest";
import { patience } from "../../harness/patience.ts";
import type { Release } from "../../src/patching/base/releases.ts";
import { controlGroup } from "./control.ts";
import { capturedSessions, healthySessions } from "./sessions.ts";

/** All 200 with CONTROL_SESSIONS=200 or `npm run trial fuzz -- --control`. */
const SESSIONS = Number(process.env["CONTROL_SESSIONS"] ?? 3);
/** Each of so many runs of captured sessions; `npm run trial fuzz -- --control` has all of them. */
const CAPTURED_PART = 40;

/** In a base release. */
export function sameBytes(release: Release): void {
  it(
    `OpenClaw ${release} sends the same bytes for healthy sessions with and without the patch`,
    async () => {
      const all = await controlGroup(release, "patched", (apis) => [
        ...healthySessions(0, SESSIONS, apis),
        ...capturedSessions(apis).filter((_, at) => at % CAPTURED_PART === 0),
      ]);
      expect(
        all
          .filter(({ difference }) => difference !== undefined)
          .map(({ session, difference }) => `${session.api} ${session.name}: ${difference}`),
      ).toEqual([]);
      expect(all.every(({ requests, refused }) => requests === 2 || refused !== undefined)).toBe(true);
      expect(all.some(({ session, refused }) => session.isCaptured && refused === undefined)).toBe(true);
    },
    // A whole run of all sessions takes minutes.
    patience(120_000 + SESSIONS * 10_000),
  );
}
