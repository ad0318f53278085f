import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planSecondCompaction } from "./second-compaction.ts";

const ROOM = { contextWindow: 32_000, reserveTokens: 20_000, systemPrompt: "" };
/** What OpenClaw lets a prompt of that window have. */
const LIMIT = 12_000;

const said = (id: string, role: string, tokens: number): Record<string, unknown> => ({
  type: "message",
  id,
  message: { role, content: [{ type: "text", text: "x".repeat(tokens * 4) }] },
});
const compacted = (firstKeptEntryId: string, summary = "## Goal"): Record<string, unknown> => ({
  type: "compaction",
  id: "c",
  summary,
  firstKeptEntryId,
});
const ids = (path: readonly unknown[]): unknown[] => path.map((entry) => (entry as { id: string }).id);

const anyEntries = fc
  .array(fc.record({ role: fc.constantFrom("user", "assistant", "toolResult"), tokens: fc.nat(6000) }), {
    minLength: 1,
    maxLength: 30,
  })
  .map((all) => all.map(({ role, tokens }, nth) => said(`e${nth}`, role, tokens)));

describe("a path that ends with a compaction", () => {
  const path = [said("e0", "user", 9000), said("e1", "user", 9000), said("e2", "assistant", 9000), compacted("e1")];

  it("and is more than OpenClaw sends is read with its summary first, and less of it stays", () => {
    const again = planSecondCompaction(path, ROOM);
    expect(ids(again!.path)).toEqual(["e0", "c", "e1", "e2"]);
    expect(again!.keepRecentTokens).toBeLessThan(9000);
  });

  it("is left alone where OpenClaw sends it, or knows no window", () => {
    expect(planSecondCompaction(path, { ...ROOM, contextWindow: 200_000 })).toBeUndefined();
    expect(planSecondCompaction(path, { ...ROOM, contextWindow: undefined })).toBeUndefined();
  });

  it("counts the system prompt and the summary", () => {
    const small = [said("e0", "user", 4000), said("e1", "assistant", 4000), compacted("e0")];
    expect(planSecondCompaction(small, ROOM)).toBeUndefined();
    expect(planSecondCompaction(small, { ...ROOM, systemPrompt: "x".repeat(9000) })).toBeDefined();
    expect(planSecondCompaction([small[0], small[1], compacted("e0", "x".repeat(9000))], ROOM)).toBeDefined();
  });

  it("is left alone where one message is all that was kept, or something was said since", () => {
    expect(planSecondCompaction([path[0], path[1], compacted("e1")], ROOM)).toBeUndefined();
    expect(planSecondCompaction([...path, said("e3", "user", 1)], ROOM)).toBeUndefined();
  });

  it("keeps a result with its call, however large it is", () => {
    const again = planSecondCompaction(
      [said("e0", "user", 10), said("e1", "assistant", 10), said("e2", "toolResult", 20_000), compacted("e0")],
      ROOM,
    );
    expect(again!.keepRecentTokens).toBe(20_001);
  });

  it("loses no entry, and is never one that OpenClaw sends", () => {
    fc.assert(
      fc.property(anyEntries, fc.nat(29), (entries, kept) => {
        const first = kept % entries.length;
        const again = planSecondCompaction([...entries, compacted(`e${first}`)], ROOM);
        if (!again) return;
        expect(ids(again.path).filter((id) => id !== "c")).toEqual(ids(entries));
        expect(ids(again.path).indexOf("c")).toBe(first);
        const tokens = entries.slice(first).map(({ message }) => JSON.stringify(message).length / 4);
        expect(tokens.reduce((one, other) => one + other) * 1.2).toBeGreaterThan(LIMIT);
        expect(again.keepRecentTokens).toBeGreaterThan(0);
      }),
    );
  });
});
