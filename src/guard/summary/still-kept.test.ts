import { expect, it } from "vitest";
import { addStillKept } from "./still-kept.ts";

const entry = (id: string, text = id) => ({ type: "message", id, message: { role: "user", content: text } });
const compaction = (firstKeptEntryId: string) => ({ type: "compaction", id: "c", firstKeptEntryId, summary: "before" });
const PATH = [entry("a"), entry("b"), entry("c1"), compaction("b"), entry("d"), entry("e"), entry("f")];
const said = (id: string): unknown => PATH.find((one) => one.id === id && one.type === "message" && "message" in one);
const message = (id: string): unknown => (said(id) as { message: unknown }).message;

it("what the last compaction kept, and this one does not, is given to be summarised", () => {
  const preparation = {
    firstKeptEntryId: "f",
    messagesToSummarize: [message("d")],
    turnPrefixMessages: [message("e")],
  };
  addStillKept(preparation, PATH);
  expect(preparation.messagesToSummarize).toEqual([message("b"), message("c1"), message("d")]);
});

it("also where OpenClaw has found nothing else to summarise", () => {
  const preparation = { firstKeptEntryId: "d", messagesToSummarize: [] as unknown[] };
  addStillKept(preparation, PATH);
  expect(preparation.messagesToSummarize).toEqual([message("b"), message("c1")]);
});

it.each<[string, Record<string, unknown> & { messagesToSummarize: unknown[] }, unknown[]]>([
  [
    "a later release has given them",
    { firstKeptEntryId: "e", messagesToSummarize: ["b", "c1", "d"].map(message) },
    PATH,
  ],
  [
    "a later release has given copies of them",
    { firstKeptEntryId: "e", messagesToSummarize: structuredClone(["b", "c1", "d"].map(message)) },
    PATH,
  ],
  ["they are kept again", { firstKeptEntryId: "b", messagesToSummarize: [] }, PATH],
  ["nothing was compacted before", { firstKeptEntryId: "c1", messagesToSummarize: [message("a")] }, PATH.slice(0, 3)],
  [
    "a reset came between",
    { firstKeptEntryId: "f", messagesToSummarize: [message("e")] },
    [...PATH.slice(0, 5), { type: "reset", id: "r" }, ...PATH.slice(5)],
  ],
  [
    "the last compaction kept nothing that is stored",
    { firstKeptEntryId: "e", messagesToSummarize: [] },
    [compaction("gone"), ...PATH.slice(4)],
  ],
])("nothing is added where %s", (_where, preparation, path) => {
  const given = preparation.messagesToSummarize;
  addStillKept(preparation, path);
  expect(preparation.messagesToSummarize).toBe(given);
});
