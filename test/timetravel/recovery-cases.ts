/** A turn that fails behind a move of the agent is recovered as one without a move. */
import { expect, it } from "vitest";
import type { ToolCallSpec } from "../../harness/providers/index.ts";
import type { Live } from "../../harness/openclaw/live.ts";
import { PLACE, threeTurns, tobe, wordsIn } from "../../harness/openclaw/travelling.ts";
import { LONG, tooLongAfter, wordy } from "./too-long.ts";

const EXEC: ToolCallSpec = { name: "exec", arguments: { command: "echo done-by-hand" } };

interface Batch {
  readonly calls: readonly ToolCallSpec[];
  /** Whether a request is one after the batch. */
  readonly isAfter: (messages: string) => boolean;
  /** What the next requests must still have. */
  readonly kept: readonly string[];
}

const CONTROL: Batch = {
  calls: [EXEC],
  isAfter: (text) => text.includes("echo done-by-hand"),
  kept: ["question-four"],
};
const moved = (place: string, more: readonly ToolCallSpec[] = []): Batch => ({
  calls: [tobe(place, "short-note"), ...more],
  isAfter: (text) => text.includes("short-note") && !text.includes("carryover_message"),
  kept: ["short-note", "question-four"],
});

/** The answer behind a move, and the line by which the person is told of the move. */
const ANSWERED = /^a real answer\s+\[The agent went back in this conversation, [^\n]*\]$/;

/** In an OpenClaw whose agents may travel, behind those batches whose names fit. */
export function recoveryAfterMoves(live: Live, release: string, batches = /./): void {
  const ALL: readonly (readonly [string, Batch])[] = [
    ["no move (control)", CONTROL],
    ["a move to the answer before the prompt", moved(PLACE.thirdAnswer)],
    ["a move far behind the prompt", moved(PLACE.firstAnswer)],
    ["a move beside another call", moved(PLACE.secondAnswer, [EXEC])],
  ];
  const BATCHES = ALL.filter(([name]) => batches.test(name));

  it.each(BATCHES)("the context overflows after %s: it is compacted and the turn answered", async (_, batch) => {
    const { transcript, ...rest } = threeTurns("anthropic-messages");
    const run = await live.openclaw.run({ ...rest, transcript: wordy(transcript) });
    live.provider.script({ kind: "tool", calls: [...batch.calls] });
    live.provider.enforce(tooLongAfter(batch.isAfter));
    const turn = await run.send("question-four");
    expect(turn).toMatchObject({ answered: true });
    const last = live.provider.requests.at(-1)!;
    expect(last.raw).not.toContain(`question-one${LONG}`);
    expect(wordsIn(last, batch.kept)).toEqual(batch.kept);
    expect((await run.readTranscript()).some(({ type }) => type === "compaction")).toBe(true);
    live.provider.reset();
    expect(await run.send("question-five")).toMatchObject({ answered: true });
    expect(wordsIn(live.provider.requests[0], batch.kept)).toEqual(batch.kept);
  });

  // 2026.2.3 asks for no answer again, with a move or without.
  it.skipIf(release === "2026.2.3").each(BATCHES)("an empty answer after %s is asked for again", async (_, batch) => {
    const run = await live.openclaw.run(threeTurns("anthropic-messages"));
    live.provider.script(
      { kind: "tool", calls: [...batch.calls] },
      { kind: "text", text: "" },
      { kind: "text", text: "a real answer" },
    );
    const turn = await run.send("question-four");
    expect(turn).toMatchObject({
      answered: true,
      text: batch.calls.some(({ name }) => name === "tobe") ? expect.stringMatching(ANSWERED) : "a real answer",
    });
    expect(wordsIn(live.provider.requests.at(-1), batch.kept)).toEqual(batch.kept);
  });

  it.each(BATCHES)("the connection drops after %s: the answer is asked for again", async (_, batch) => {
    const run = await live.openclaw.run(threeTurns("anthropic-messages"));
    live.provider.script(
      { kind: "tool", calls: [...batch.calls] },
      { kind: "fault", fault: "drop-in-tool" },
      { kind: "text", text: "a real answer" },
    );
    const turn = await run.send("question-four");
    expect(turn).toMatchObject({
      answered: true,
      text: batch.calls.some(({ name }) => name === "tobe") ? expect.stringMatching(ANSWERED) : "a real answer",
    });
    expect(wordsIn(live.provider.requests.at(-1), batch.kept)).toEqual(batch.kept);
  });
}
