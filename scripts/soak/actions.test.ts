import { expect, test } from "vitest";
import { makeAction, listMessages } from "./actions.ts";

const NINE = { modes: true, givesUp: true, models: 5 };
const TWO = { modes: false, givesUp: false, models: 5 };
const many = (able: typeof NINE): ReturnType<typeof makeAction>[] =>
  Array.from({ length: 400 }, (_, n) => makeAction("seed", { conversation: 0, n, kills: true }, able));

test("gives the same action for the same place, and each message a name of its own", () => {
  expect(many(NINE)).toEqual(many(NINE));
  const names = many(NINE).flatMap((action) => listMessages(action).map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
});

test("does everything that it knows, and asks no release for what it does not know", () => {
  const deeds = (able: typeof NINE): string[] => many(able).map(({ beside }) => beside?.deed.do ?? "nothing");
  expect([...new Set(deeds(NINE))].toSorted()).toEqual(
    ["compact", "full disk", "kill", "message", "nothing", "proxy", "restart", "rewind", "stop", "switch"].toSorted(),
  );
  const writeActions = (able: typeof NINE): string => JSON.stringify(many(able));
  expect(writeActions(NINE)).toMatch(/"mode":"interrupt"/);
  expect(writeActions(NINE)).toMatch(/hang-in-tool/);
  expect(writeActions(TWO)).not.toMatch(/"mode"|hang-in-tool/);
  expect(many(NINE).some(({ message }) => message.spawns)).toBe(true);
  expect(many(NINE).some(({ message }) => message.picture)).toBe(true);
});
