import type { TurnPlan } from "./plan.ts";
import type { Progress } from "./progress.ts";
import type { Happened } from "./traces.ts";

/** Where in its turn a conversation was when OpenClaw was killed. */
export const PLACES = [
  "before the first request",
  "waiting for an answer with calls",
  "while an answer with calls streams",
  "calls asked for, none begun",
  "calls run, none has returned",
  "calls run, some have returned",
  "all calls returned, before the next request",
  "waiting for the answer",
  "while the answer streams",
  "after the answer",
] as const;

export type Place = (typeof PLACES)[number];

/** The place, by what had happened at the time of the kill. */
export function toPlace(
  turn: TurnPlan,
  progress: Progress,
  happened: Happened,
  { killedAt, seesEvents }: { killedAt: number; seesEvents: boolean },
): Place {
  const had = (mark: string): boolean => (progress.at(`${turn.id} ${mark}`) ?? Infinity) <= killedAt;
  if (had("ended")) return "after the answer";
  const last = turn.rounds.length + 1;
  const request = Array.from({ length: last }, (_, at) => last - at).find((nth) => had(`request ${nth}`)) ?? 0;
  if (request === 0) return "before the first request";
  if (request === last) return had(`piece ${last}.1`) ? "while the answer streams" : "waiting for the answer";
  if (!had(`piece ${request}.1`)) return "waiting for an answer with calls";
  const calls = turn.rounds[request - 1] ?? [];
  const count = (whats: string[]): number =>
    calls.filter(({ id }) => whats.some((what) => (happened.get(id)?.get(what) ?? Infinity) <= killedAt)).length;
  const returned = count([seesEvents ? "returned" : "finished"]);
  if (returned === calls.length) return "all calls returned, before the next request";
  if (returned > 0) return "calls run, some have returned";
  if (count(["begun", "started"]) > 0) return "calls run, none has returned";
  return had(`streamed ${request}`) ? "calls asked for, none begun" : "while an answer with calls streams";
}
