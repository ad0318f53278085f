import { expect, it } from "vitest";
import { makeEpisode, type Limits } from "./plan.ts";

const LIMITS: Limits = { sessions: 3, startMs: 300, longestCommandMs: 400, reads: true };
const episodes = Array.from({ length: 300 }, (_, n) => makeEpisode("seed", n, LIMITS));

it("an episode is the same for its seed and number alone, so that a failed kill can be repeated by itself", () => {
  expect(makeEpisode("seed", 17, LIMITS)).toEqual(episodes[17]);
  expect(makeEpisode("other", 17, LIMITS)).not.toEqual(episodes[17]);
});

it("holds everything that is to be killed: one tool and several, errors, two rounds, second kills, every kind of milestone", () => {
  const turns = episodes.flatMap(({ sessions }) => sessions.flatMap((session) => session.turns));
  const calls = turns.flatMap(({ rounds }) => rounds.flat());
  expect(new Set(turns.flatMap(({ rounds }) => rounds.map((round) => round.length)))).toEqual(new Set([1, 2, 3, 4]));
  expect(new Set(turns.map(({ rounds }) => rounds.length))).toEqual(new Set([1, 2]));
  expect(new Set(calls.map(({ tool, fails }) => `${tool} ${fails}`)).size).toBe(4);
  expect(new Set(episodes.map(({ kills }) => kills.length))).toEqual(new Set([1, 2]));
  const kinds = new Set(episodes.flatMap(({ kills }) => kills.map(({ mark }) => mark.split(" ")[1])));
  expect(kinds).toEqual(new Set(["sent", "request", "piece", "streamed", "started", "finished", "returned", "ended"]));
});

it("no two calls and no two turns of a run have the same name", () => {
  const turns = episodes.flatMap(({ sessions }) => sessions.flatMap((session) => session.turns));
  const names = turns.flatMap(({ id, rounds }) => [id, ...rounds.flat().map((call) => call.id)]);
  expect(new Set(names).size).toBe(names.length);
});

it("every kill waits for a milestone of a turn that is under way", () => {
  for (const { sessions, kills } of episodes) {
    for (const [at, { mark }] of kills.entries()) {
      const names = sessions.flatMap(({ turns }) => [
        turns[at]?.id,
        ...(turns[at]?.rounds.flat().map(({ id }) => id) ?? []),
      ]);
      expect(names).toContain(mark.split(" ")[0]);
    }
  }
});
