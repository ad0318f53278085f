import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelApi } from "../../harness/openclaw/index.ts";
import { grow } from "./conversation.ts";
import { fitRandom } from "./histories.ts";
import { ROWS } from "./rows.ts";
import { startTable, type Table } from "./table.ts";

it.each(["2026.2.3", "2026.9.6"])(
  "a conversation that grows far beyond what the model takes is answered in every turn, with bounded requests: OpenClaw %s",
  async (release) => {
    const { turns, firstFailure } = await grow({ release, summariser: "works", turns: 12 });
    expect(firstFailure).toBeUndefined();
    expect(turns.filter(({ isAnswered }) => isAnswered)).toHaveLength(12);
    for (const { requests, summaries } of turns) expect(requests + summaries).toBeLessThanOrEqual(6);
  },
);

it("a summariser that always fails costs the first turn above the limit at most, and then two requests a turn", async () => {
  const { turns } = await grow({ release: "2026.2.3", summariser: "fails", turns: 12 });
  expect(turns.filter(({ isAnswered }) => !isAnswered).length).toBeLessThanOrEqual(1);
  expect(turns.slice(2).every(({ isAnswered }) => isAnswered)).toBe(true);
  expect(Math.max(...turns.map(({ requests }) => requests))).toBeLessThanOrEqual(2);
});

it("random histories fit random budgets, and stay valid, with the newest question whole where it fits", () => {
  const found = fitRandom(300, 7, () => true);
  expect([...found.faults]).toEqual([]);
  expect(found.fitted).toBeGreaterThan(150);
  expect(found.common / found.bytes).toBeGreaterThan(0.5);
});

const SESSIONS: Readonly<Record<string, readonly (readonly [row: string, api: ModelApi, extracts: number])[]>> = {
  "2026.2.3": [
    ["text", "openai-responses", 0],
    ["moved", "bedrock-converse-stream", 0],
    ["cut", "bedrock-converse-stream", 1],
  ],
  "2026.9.6": [
    ["page", "openai-completions", 1],
    ["page", "google-generative-ai", 1],
  ],
};

describe.each(Object.keys(SESSIONS))(
  "a session that is too large is answered at once, and nothing of it is lost: OpenClaw %s",
  (release) => {
    let table: Table;
    beforeAll(async () => (table = await startTable(release, "patched")), 120_000);
    afterAll(() => table.close());

    it.each(SESSIONS[release]!)("row %s on %s, with %d extracts", async (name, api, extracts) => {
      const outcome = await table.play(
        ROWS.find((row) => row.name === name)!,
        api,
      );
      expect(outcome).toMatchObject({ failures: [], answered: [true, true, true], found: outcome.marks, extracts });
    });
  },
);
