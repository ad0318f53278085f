import { describe, expect, it } from "vitest";
import { ORIGIN_FIELD } from "../../transcript/origin.ts";
import { isHollow } from "./hollow.ts";
import { leaving } from "./leaving.ts";

const said = (id: string) => ({ type: "message", id, message: { role: "user", content: id } });
const compaction = (id: string, firstKeptEntryId: string, details?: unknown) => ({
  type: "compaction",
  id,
  firstKeptEntryId,
  summary: `summary ${id}`,
  details,
});
const ours = { [ORIGIN_FIELD]: { extract: true } };
const words = (messages: readonly unknown[]) => messages.map((message) => (message as { content: string }).content);

describe("what leaves a conversation with a compaction", () => {
  it("begins with what the summary before has kept, and ends before what is kept now", () => {
    const path = [said("a"), said("b"), compaction("c", "b"), said("d"), said("e")];
    const { messages, previous } = leaving(path, "e");
    expect(words(messages)).toEqual(["b", "d"]);
    expect(previous).toBe("summary c");
  });

  it("is read from before an extract of ours, so that no extract is made of an extract", () => {
    const path = [said("a"), compaction("b", "a"), said("c"), compaction("d", "c", ours), said("e"), said("f")];
    const { messages, previous } = leaving(path, "f");
    expect(words(messages)).toEqual(["a", "c", "e"]);
    expect(previous).toBe("summary b");
  });

  it("has the words of an extract with which a path begins: what it was made of is not stored there", () => {
    const path = [compaction("a", "a", ours), said("b"), compaction("c", "b", ours), said("d"), said("e")];
    expect(leaving(path, "e")).toMatchObject({ messages: [{ content: "b" }, { content: "d" }], previous: "summary a" });
  });

  it("holds nothing of before a reset", () => {
    const path = [
      said("a"),
      compaction("b", "a"),
      { type: "reset", id: "r", firstKeptEntryId: null },
      said("c"),
      said("d"),
    ];
    expect(leaving(path, "d")).toEqual({ messages: [{ role: "user", content: "c" }] });
  });

  it("is all of it where the place that is kept is not on the path", () => {
    expect(words(leaving([said("a"), said("b")], "gone").messages)).toEqual(["a", "b"]);
  });
});

describe("a hollow summary", () => {
  it.each([
    ["nothing", "", 100, true],
    ["only lists of files", "\n\n<read-files>\na.txt\n</read-files>", 100, true],
    ["a sentence for a long conversation", "I can't help with that.", 100_000, true],
    ["a sentence for a short conversation", "They greeted each other.", 2000, false],
    ["a short summary in the sections that were asked for", "## Goal\n- greet", 100_000, false],
    ["a long text without sections", "They spoke of rivers. ".repeat(40), 100_000, false],
  ])("%s", (_name, summary, characters, expected) => {
    expect(isHollow(summary, characters)).toBe(expected);
  });
});
