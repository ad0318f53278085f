/** A kill directly behind a move, and a turn whose prompt OpenClaw has not stored before it begins, as by its command line. */
import { expect, it } from "vitest";
import type { Live } from "../../harness/openclaw/live.ts";
import { toJsonl } from "../../harness/openclaw/index.ts";
import { parseLines, type TranscriptEntry } from "../../harness/openclaw/transcript.ts";
import { PLACE, threeTurns, wordsIn } from "../../harness/openclaw/travelling.ts";
import { CARRYOVER_TYPE } from "../../src/timetravel/index.ts";

const timestamp = "2026-02-06T11:00:00.000Z";

/** Three turns and a question, the agent's move to the first answer, and what the move shows of the question. */
function movedAndKilled(isShownOnly = true): string {
  const rows = parseLines(threeTurns("anthropic-messages").transcript) as TranscriptEntry[];
  const question = { role: "user", content: [{ type: "text", text: "question-four" }], timestamp: 1_770_375_600_000 };
  const last = rows.at(-1)!.id as string;
  return toJsonl([
    ...rows,
    { type: "message", id: "asked000", parentId: last, timestamp, message: question },
    {
      type: "custom_message",
      id: "carried0",
      parentId: PLACE.firstAnswer,
      timestamp,
      customType: CARRYOVER_TYPE,
      content: "the-note\n> question-four",
      display: true,
      details: {
        intentId: "one",
        departureId: "asked000",
        targetId: PLACE.firstAnswer,
        by: "agent",
        questionIds: ["asked000"],
      },
    },
    {
      type: "message",
      id: "shown000",
      parentId: "carried0",
      timestamp,
      message: {
        ...question,
        ...(isShownOnly && { excludeFromContext: true }),
        openclawIntegrity: { repeats: "asked000" },
      },
    },
    { type: "branch_summary", id: "held0000", parentId: "shown000", timestamp, fromId: "shown000", summary: "" },
  ] as TranscriptEntry[]);
}

/** In an OpenClaw 2026.9.6 with the patch or without. */
export function shownQuestion(live: Live): void {
  it("after a kill behind a move it sends the note and the question once, and takes the shown one for no unanswered message", async () => {
    const run = await live.openclaw.run({ ...threeTurns("anthropic-messages"), transcript: movedAndKilled() });
    expect(await run.send("question-five")).toMatchObject({ answered: true });
    const request = live.provider.requests.at(-1);
    expect(wordsIn(request, ["question-one", "question-two", "the-note", "question-four", "question-five"])).toEqual([
      "question-one",
      "the-note",
      "question-four",
      "question-five",
    ]);
    expect(request!.raw.split("question-four").length).toBe(2);
    expect((await run.readTranscript()).some(({ id }) => id === "shown000")).toBe(true);
  });

  it("after a kill behind a move it would send it twice if the row were not marked (control)", async () => {
    const run = await live.openclaw.run({ ...threeTurns("anthropic-messages"), transcript: movedAndKilled(false) });
    await run.send("question-five");
    expect(live.provider.requests.at(-1)!.raw.split("question-four").length).toBe(3);
  });
}
