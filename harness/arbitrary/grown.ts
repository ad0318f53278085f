/** Sessions as moves of an agent make them, for property tests of time travel. */
import fc from "fast-check";
import { History, isClosed } from "../../src/timetravel/index.ts";
import type { JsonObject } from "../../src/transcript/json/json.ts";
import { healthyFrom } from "./history.ts";

/** A tree of entries, and its leaf. */
export interface Grown {
  readonly entries: JsonObject[];
  readonly leaf: string | null;
}

/** Random turns, each appended behind a random closed node. */
export const grown: fc.Arbitrary<Grown> = fc
  .array(fc.record({ seed: fc.nat(100_000), behind: fc.nat(1000) }), { minLength: 1, maxLength: 8 })
  .map((turns) => {
    const entries: JsonObject[] = [];
    let leaf: string | null = null;
    for (const { seed, behind } of turns) {
      const before: History = new History(entries, leaf);
      const closed = before.nodes().filter((node) => isClosed(before, node));
      let parentId: string | null = closed[behind % (closed.length + 1)]?.id ?? null;
      // Each turn's calls have ids of their own, as a provider's have.
      const messages = JSON.parse(
        JSON.stringify(healthyFrom(seed, 2)).replaceAll("toolu_", `toolu_${entries.length}_`),
      ) as unknown[];
      for (const message of messages) {
        const id = `e${entries.length}`;
        entries.push({
          type: "message",
          id,
          parentId,
          timestamp: new Date(1_770_000_000_000 + entries.length).toISOString(),
          message,
        });
        // Rows that no model sees stand between.
        if (seed % 3 === 0)
          entries.push({ type: "custom", id: `c${entries.length}`, parentId: id, customType: "label", data: {} });
        parentId = entries.at(-1)!.id as string;
      }
      leaf = parentId;
    }
    return { entries, leaf };
  });

/** The same tree under other ids and times, as OpenClaw's rewind makes one. */
export function copyGrown({ entries, leaf }: Grown): Grown {
  return {
    entries: entries.map(
      (entry) =>
        ({
          ...entry,
          id: renamed(entry.id),
          parentId: renamed(entry.parentId),
          timestamp: "2026-11-22T00:00:00.000Z",
        }) as JsonObject,
    ),
    leaf: renamed(leaf) as string | null,
  };
}

function renamed(id: unknown): unknown {
  return typeof id === "string" ? `copy-${id}` : id;
}
