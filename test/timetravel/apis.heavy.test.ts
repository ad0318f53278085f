import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { APIS } from "../../harness/providers/index.ts";
import type { Live } from "../../harness/openclaw/live.ts";
import {
  PLACE,
  RELEASES,
  startTravelling,
  threeTurns,
  tobe,
  WORDS,
  wordsIn,
} from "../../harness/openclaw/travelling.ts";

/** The strict provider of every API takes every request before, at and behind a move. */
describe.each(RELEASES)("a move of OpenClaw %s", (release) => {
  let live: Live;
  beforeAll(async () => {
    live = await startTravelling(release);
  });
  afterAll(() => live.close());
  beforeEach(() => live.provider.reset());

  it.each(APIS)(
    "through %s: to an answer, to a message of the user's, to a result, sideways, to the beginning; nothing is refused",
    async (api) => {
      if (!live.openclaw.apis.includes(api)) return;
      const run = await live.openclaw.run(threeTurns(api));
      const read = { name: "read", arguments: { path: "note.txt" } };
      for (const [target, note, stays] of [
        [PLACE.firstAnswer, "to-an-answer", WORDS.slice(0, 4)],
        [PLACE.thirdAnswer, "sideways", WORDS],
        [PLACE.secondQuestion, "to-a-question", WORDS.slice(0, 5)],
        [PLACE.lastResult, "to-a-result", WORDS.slice(0, 3)],
        ["root", "to-the-beginning", []],
      ] as const) {
        live.provider.reset();
        live.provider.script(
          { kind: "tool", text: "some words", calls: [read, tobe(target, note), read] },
          { kind: "tool", calls: [read] },
        );
        expect(await run.send(`question-${note}`), note).toMatchObject({ answered: true });
        const { requests } = live.provider;
        expect(
          requests.map(({ status }) => status),
          note,
        ).toEqual([200, 200, 200]);
        expect([wordsIn(requests[1], WORDS), wordsIn(requests[1], [note, `question-${note}`])], note).toEqual([
          [...stays],
          [note, `question-${note}`],
        ]);
      }
      expect(await run.send("question-last")).toMatchObject({ answered: true });
      expect(live.provider.requests.at(-1)!.status).toBe(200);
    },
  );
});
