/** Conversations that are larger than what a model takes, in a real OpenClaw. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelApi } from "../../harness/openclaw/index.ts";
import { grow } from "./conversation.ts";
import { ROWS } from "./rows.ts";
import { startTable, type Table } from "./table.ts";

/** A conversation that grows, and sessions that are too large from the start: rows of the table, on an API each. */
export function tooLargeSample(
  release: string,
  sessions: readonly (readonly [row: string, api: ModelApi, extracts: number])[],
): void {
  it(`a conversation that grows far beyond what the model takes is answered in every turn, with bounded requests: OpenClaw ${release}`, async () => {
    const { turns, firstFailure } = await grow({ release, summariser: "works", turns: 12 });
    expect(firstFailure).toBeUndefined();
    expect(turns.filter(({ isAnswered }) => isAnswered)).toHaveLength(12);
    for (const { requests, summaries } of turns) expect(requests + summaries).toBeLessThanOrEqual(6);
  });

  describe(`a session that is too large is answered at once, and nothing of it is lost: OpenClaw ${release}`, () => {
    let table: Table;
    beforeAll(async () => (table = await startTable(release, "patched")), 120_000);
    afterAll(() => table.close());

    it.each(sessions)("row %s on %s, with %d extracts", async (name, api, extracts) => {
      const outcome = await table.play(
        ROWS.find((row) => row.name === name)!,
        api,
      );
      expect(outcome).toMatchObject({ failures: [], answered: [true, true, true], found: outcome.marks, extracts });
    });
  });
}
