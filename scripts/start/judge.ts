import type { RunResult } from "../../harness/openclaw/index.ts";
import type { RecordedRequest } from "../../harness/providers/index.ts";
import type { Job } from "./jobs.ts";

/**
 * Which of the user's messages the model answered. `timed out`: a turn was given up before it ended, which says nothing
 * about the session.
 */
export type Answered = "both" | "first only" | "second only" | "none" | "timed out";

/** What became of one run. */
export interface Verdict {
  answered: Answered;
  /** Why not, in short: the provider's words when it refused a request, else OpenClaw's. */
  error?: string;
  /** Real content that an accepted request lacks; undefined when none was accepted. */
  lost?: string[];
  /** Text that no request may hold but one did. */
  unwanted: string[];
}

/** As much of a run as is judged. */
export interface Evidence {
  run: Pick<RunResult, "turns" | "error">;
  /** A turn, or storing the session, took all the time that there was. */
  timedOut?: boolean;
  requests: readonly Pick<RecordedRequest, "status" | "error" | "body" | "raw">[];
}

const ERROR_LENGTH = 300;

/** Judges a run by what the user got and what the provider got. */
export function judge(
  job: Pick<Job, "mustReach" | "mustNotReach" | "historyLimit">,
  { run, requests, timedOut = false }: Evidence,
): Verdict {
  const answered = timedOut ? "timed out" : describeAnswered(run.turns.map((turn) => turn.answered));
  const verdict: Verdict = { answered, unwanted: [] };
  if (answered !== "both") verdict.error = shortError(run, requests);
  const accepted = requests.filter(({ status }) => status === 200);
  if (accepted.length > 0) {
    // What a limit leaves out of the history is another part of it behind the next message.
    const sent = accepted.slice(0, job.historyLimit === undefined ? undefined : 1).map(requestText);
    verdict.lost = job.mustReach.filter((marker) => !sent.every((one) => holds(one, marker)));
  }
  const bodies = requests.map(requestText);
  verdict.unwanted = job.mustNotReach.filter((marker) => bodies.some((sent) => holds(sent, marker)));
  return verdict;
}

/** Whether the run is as it has to be with the patch. */
export function isGood({ answered, lost = [], unwanted }: Verdict): boolean {
  return answered === "both" && lost.length === 0 && unwanted.length === 0;
}

/** Whether the session was of no use any more: the last message got no answer. */
export function isBricked({ answered }: Verdict): boolean {
  return answered === "none" || answered === "first only";
}

function describeAnswered([first = false, second = false]: readonly boolean[]): Answered {
  if (first) return second ? "both" : "first only";
  return second ? "second only" : "none";
}

function shortError(run: Evidence["run"], requests: Evidence["requests"]): string {
  const refused = requests.findLast(({ status }) => status >= 400)?.error;
  const failed = run.turns.find((turn) => !turn.answered)?.error;
  const text = (refused ?? run.error ?? failed ?? "no reason was given").replace(/\s+/g, " ").trim();
  return text.length > ERROR_LENGTH ? `${text.slice(0, ERROR_LENGTH - 1)}…` : text;
}

/** A body written anew, so that every character has one spelling. */
export function requestText({ body, raw }: Evidence["requests"][number]): string {
  return body === undefined ? raw : JSON.stringify(body);
}

/** A marker as a string of the body, or as one in JSON that is itself a string there (arguments, quoted blocks). */
export function holds(sent: string, marker: string): boolean {
  const once = escaped(marker);
  const twice = escaped(once);
  return sent.includes(once) || (twice !== once && (sent.includes(twice) || sent.includes(escaped(twice))));
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
