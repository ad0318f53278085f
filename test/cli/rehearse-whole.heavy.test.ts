/** A whole rehearsal: OpenClaw 2026.9.6 beside a 2026.2.3 in use, whose files, config and sessions stay as they are. */
import { expect, it } from "vitest";
import { makeRehearsal } from "./rehearsal.ts";

it("says what the next release would brick without the patch, and changes nothing of the live one", async () => {
  const { next, run, picture } = await makeRehearsal();
  const before = picture();
  const { status, data } = run("--rehearse", next, "--sessions", "2", "--json");
  expect(data).toMatchObject({
    ok: true,
    action: "rehearsed",
    release: "2026.2.3",
    next: "2026.9.6",
    verdict: "fine",
    store: expect.stringContaining("its store is newer: sessions move from files into a database."),
    sessions: [
      {
        key: "agent:main:broken",
        unpatched: { passed: false, outcome: expect.stringContaining("the provider said") },
        patched: { passed: true, outcome: "answered" },
      },
      { key: "agent:main:sound", unpatched: { passed: true }, patched: { passed: true } },
    ],
    proof: { verdict: "proven" },
  });
  expect(status).toBe(0);
  expect(picture()).toEqual(before);
}, 1_800_000);
