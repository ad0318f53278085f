import { expect, it } from "vitest";
import { runProviders } from "./run.ts";

it("no random provider makes the guard archive a conversation, lose a word of it for another endpoint, or send what no API takes", async () => {
  const { failures, tally } = await runProviders({
    seed: "sample",
    count: 8,
    ways: ["2026.2.3", "library"],
    lanes: 2,
    say: () => {},
  });
  expect(tally.all).toMatchObject({ providers: 8, failed: 0 });
  expect(tally.all.refused).toBeGreaterThan(8);
  // The other claims, and how far they hold, are in results/random-providers.md.
  expect(failures.filter((failure) => /^(kept|valid|not played)/.test(failure))).toEqual([]);
});
