/** Where an agent goes in its history, and what the next request is. */
import { expect, it } from "vitest";
import { entryId, toJsonl, type RunInput } from "../../harness/openclaw/index.ts";
import type { Live } from "../../harness/openclaw/live.ts";
import { parseLines, type TranscriptEntry } from "../../harness/openclaw/transcript.ts";
import { carryovers, PLACE, threeTurns, tobe, WORDS, wordsIn } from "../../harness/openclaw/travelling.ts";
import type { RecordedRequest } from "../../harness/providers/index.ts";

/** {@link threeTurns} with a compaction after the second answer, which keeps the second turn. */
function compactedTurns(): RunInput {
  const { transcript, ...rest } = threeTurns("anthropic-messages");
  const rows = parseLines(transcript) as TranscriptEntry[];
  const compaction = {
    type: "compaction",
    id: entryId("compaction", 0),
    parentId: PLACE.secondAnswer,
    timestamp: "2026-02-06T09:30:00.000Z",
    summary: "summary-of-it",
    firstKeptEntryId: PLACE.secondQuestion,
    tokensBefore: 1000,
  };
  const at = rows.findIndex(({ id }) => id === PLACE.thirdQuestion);
  const compacted = rows
    .toSpliced(at, 0, compaction)
    .map((row) => (row.id === PLACE.thirdQuestion ? { ...row, parentId: compaction.id } : row));
  return { ...rest, transcript: toJsonl(compacted) };
}

/** The messages of a request without its cache markers, which are on the last messages only. */
function plainMessages({ body }: RecordedRequest): string[] {
  return (body as { messages: unknown[] }).messages.map((message) =>
    JSON.stringify(message).replaceAll(/,"cache_control":\{[^}]*\}/g, ""),
  );
}

/** The answer behind a move, and the line by which the person is told of the move. */
export const ANSWERED = /^arrived\s+\[The agent went back in this conversation, [^\n]*\]$/;

/** A place that is gone to, by what it is, and which of {@link WORDS} are in the next request. */
type Destination = readonly [name: string, target: string, stays: readonly string[]];

export const DESTINATIONS: readonly Destination[] = [
  ["an answer", PLACE.firstAnswer, ["question-one", "alpha-content", "beta-content", "answer-one"]],
  [
    "a message of the user's",
    PLACE.secondQuestion,
    ["question-one", "alpha-content", "beta-content", "answer-one", "question-two"],
  ],
  ["the last result of a batch", PLACE.lastResult, ["question-one", "alpha-content", "beta-content"]],
  ["the turn before this one", "turn:-1", WORDS],
  [
    "two turns back",
    "turn:-2",
    ["question-one", "alpha-content", "beta-content", "answer-one", "question-two", "answer-two"],
  ],
  ["the beginning", "root", []],
];

const statuses = (live: Live): number[] => live.provider.requests.map(({ status }) => status);
const start = (live: Live) => live.openclaw.run(threeTurns("anthropic-messages"));

/** To each of the places. */
export function movesTo(live: Live, places: readonly Destination[]): void {
  it.each(places)(
    "to %s: the very next request is the history up to there, the note and the user's question; so is the next turn",
    async (_, target, stays) => {
      const run = await start(live);
      live.provider.script(
        { kind: "tool", calls: [tobe(target, "take-the-other-way")] },
        { kind: "text", text: "arrived" },
      );
      expect(await run.send("question-four")).toMatchObject({ answered: true, text: expect.stringMatching(ANSWERED) });
      expect(statuses(live)).toEqual([200, 200]);
      const [, moved] = live.provider.requests;
      expect(wordsIn(moved, WORDS)).toEqual(stays);
      expect(wordsIn(moved, ["take-the-other-way", "question-four", "still to be answered", "tool_use_id"])).toEqual([
        "take-the-other-way",
        "question-four",
        "still to be answered",
        ...(stays.includes("beta-content") ? ["tool_use_id"] : []),
      ]);
      expect(await run.send("question-five")).toMatchObject({ answered: true });
      const next = live.provider.requests.at(-1);
      expect([wordsIn(next, WORDS), wordsIn(next, ["take-the-other-way", "arrived", "question-five"])]).toEqual([
        stays,
        ["take-the-other-way", "arrived", "question-five"],
      ]);
      // The departure is whole: nothing that was stored is gone, and its call has its result.
      const rows = await run.readTranscript();
      expect(wordsIn({ raw: JSON.stringify(rows) } as never, [...WORDS, "question-four"])).toEqual([
        ...WORDS,
        "question-four",
      ]);
      expect(
        rows.filter(({ message }) => (message as { toolName?: string } | undefined)?.toolName === "tobe").length,
      ).toBe(1);
      const [arrival] = await carryovers(run);
      expect(arrival).toMatchObject({
        parentId: target.startsWith("turn") ? expect.any(String) : target === "root" ? null : target,
        details: { by: "agent" },
      });
    },
  );
}

/** The bytes of a request that a provider has cached. */
export function keepsPrompt(live: Live): void {
  it("what stays of a request is the same to the byte: the provider's prompt cache holds", async () => {
    const run = await start(live);
    live.provider.script({ kind: "tool", calls: [tobe(PLACE.secondAnswer, "again")] });
    await run.send("question-four");
    const [before, after] = live.provider.requests.map(plainMessages);
    expect(after!.slice(0, 6)).toEqual(before!.slice(0, 6));
  });
}

/** To a branch that an earlier move has left. */
export function leftBranch(live: Live): void {
  it("to a node on a branch that was left, and on from there", async () => {
    const run = await start(live);
    live.provider.script({ kind: "tool", calls: [tobe(PLACE.firstAnswer, "first-note")] });
    await run.send("question-four");
    live.provider.reset();
    live.provider.script(
      { kind: "tool", calls: [{ name: "timeline", arguments: {} }] },
      { kind: "tool", calls: [tobe(PLACE.thirdAnswer, "second-note")] },
    );
    expect(await run.send("question-five")).toMatchObject({ answered: true });
    expect(statuses(live)).toEqual([200, 200, 200]);
    const [, listed, moved] = live.provider.requests;
    expect(wordsIn(listed, ["branches", "question-four"])).toEqual(["branches", "question-four"]);
    expect(wordsIn(moved, [...WORDS, "first-note", "second-note", "question-five"])).toEqual([
      ...WORDS,
      // The note of the move that is left behind is kept.
      "first-note",
      "second-note",
      "question-five",
    ]);
  });
}

/** To before a compaction and behind it. */
export function compactionBetween(live: Live): void {
  it("a compaction lies between: from behind it to before it, with everything that it had left out", async () => {
    const run = await live.openclaw.run(compactedTurns());
    live.provider.script(
      { kind: "tool", calls: [tobe(PLACE.firstAnswer, "note-one")] },
      { kind: "text", text: "arrived" },
    );
    expect(await run.send("question-four")).toMatchObject({ answered: true });
    const [before, after] = live.provider.requests;
    expect(wordsIn(before, [...WORDS, "summary-of-it"])).toEqual([...WORDS.slice(4), "summary-of-it"]);
    expect(wordsIn(after, [...WORDS, "summary-of-it", "note-one"])).toEqual([...WORDS.slice(0, 4), "note-one"]);
    live.provider.reset();
    // And behind it again, where only what it kept is sent.
    live.provider.script({ kind: "tool", calls: [tobe(PLACE.thirdAnswer, "note-two")] });
    expect(await run.send("question-five")).toMatchObject({ answered: true });
    expect(wordsIn(live.provider.requests[1], [...WORDS, "summary-of-it", "note-two"])).toEqual([
      ...WORDS.slice(4),
      "summary-of-it",
      "note-two",
    ]);
  });
}

/** To a place that a compaction kept, so many times one after the other. */
export function keptByCompaction(live: Live, often: readonly number[]): void {
  it.each(often)(
    "to a place that a later compaction kept, %s times: the summary stays, now and in the next turns",
    async (times) => {
      const run = await live.openclaw.run(compactedTurns());
      for (let nth = 0; nth < times; nth++) {
        live.provider.reset();
        live.provider.script({ kind: "tool", calls: [tobe(PLACE.secondAnswer, `note-${nth}`)] });
        expect(await run.send(`question-${nth}-`)).toMatchObject({ answered: true });
        expect(await run.send("question-next")).toMatchObject({ answered: true });
        expect(statuses(live)).toEqual([200, 200, 200]);
        const kept = ["question-two", "answer-two", "summary-of-it", `note-${nth}`, `question-${nth}-`];
        const [, moved, next] = live.provider.requests;
        expect(wordsIn(moved, [...WORDS, "summary-of-it", `note-${nth}`, `question-${nth}-`])).toEqual(kept);
        expect(wordsIn(next, [...WORDS, "summary-of-it", `note-${nth}`, `question-${nth}-`])).toEqual(kept);
        const [before, after, later] = live.provider.requests.map(plainMessages);
        expect(after!.slice(0, 3)).toEqual(before!.slice(0, 3));
        expect(later!.slice(0, 3)).toEqual(before!.slice(0, 3));
      }
    },
  );
}
