import { expect, test } from "vitest";
import { Talk } from "../../../harness/arbitrary/talk.ts";
import { CARRYOVER_TYPE, resolveTarget } from "../index.ts";
import { callsAround } from "./work.ts";

test("the calls before and after a target are told with their answers, also those of branches and what earlier moves told", () => {
  const talk = new Talk();
  talk.says("question one");
  talk.calls("work", { nth: 1 }, { details: { answer: 1 } });
  const told = { next: null };
  talk.append({
    type: "custom_message",
    customType: CARRYOVER_TYPE,
    content: "moved",
    display: true,
    details: { intentId: "i", departureId: null, targetId: null, by: "agent", work: told },
  });
  const end = talk.answers("answer one");
  talk.says("question two");
  talk.calls("work", { nth: 2 }, { details: { answer: 2 } });
  talk.leaf = end;
  talk.says("question two, in other words");
  talk.killed("work", { nth: 3 });
  const history = talk.history();
  expect(callsAround(history, resolveTarget(history, end))).toEqual({
    kept: [
      { tool: "work", input: { nth: 1 }, answer: { answer: 1 } },
      { tool: undefined, input: undefined, answer: told },
    ],
    left: [
      { tool: "work", input: { nth: 2 }, answer: { answer: 2 } },
      { tool: "work", input: { nth: 3 }, answer: undefined },
    ],
  });
});
