import { nameInline, quotedInline } from "../../base/quoted.ts";
import type { OpenStep } from "../base/state.ts";

/** A tool call, as a host's journal of tool calls has it. */
export interface JournalledCall {
  readonly tool: string;
  /** When it was started, or asked for where it was not started; ISO 8601 in UTC. */
  readonly at: string;
  /** `started`: no end is known. */
  readonly state: "not_started" | "started" | "ended";
  /** What the tool answered, as far as the journal still has it. */
  readonly result?: string | undefined;
  /** The answer is an error; known only with the result. */
  readonly isError?: boolean | undefined;
}

/** The tool calls behind the begin of an attempt, in the session that began it: the first ones. */
export interface CallsSince {
  readonly calls: readonly JournalledCall[];
  /** How many came after these. */
  readonly more: number;
}

/**
 * Looks in a host's journal of tool calls for those since an attempt began. Undefined where that journal does not know
 * the call that began it. Never throws.
 */
export type CallsOf = (attempt: OpenStep) => CallsSince | undefined;

/** How much is told. */
export interface CallsTold {
  /** How many calls, 10 by default. */
  readonly most?: number;
  /** Characters of a result, 200 by default; 0 for none. */
  readonly longest?: number;
}

const NO_PROOF = "(no proof: other sessions, sub-agents and programs are not in it, nor what ran while it was off)";

/**
 * Says which tool calls came after the begin of an attempt, with their words quoted. It is evidence for who has to find
 * out, and decides nothing: a call may have been another action, and a missing one may have been made elsewhere.
 */
export function callsText({ calls, more }: CallsSince, { most = 10, longest = 200 }: CallsTold = {}): string {
  if (calls.length === 0)
    return `the tool journal has no call since it began, in the session that began it ${NO_PROOF}`;
  const told = calls.slice(0, most).map((call) => callText(call, longest));
  const left = calls.length - told.length + more;
  const rest = left > 0 ? `; and ${left} later` : "";
  return `calls since it began, in the session that began it, by the tool journal: ${told.join("; ")}${rest} ${NO_PROOF}`;
}

function callText({ tool, at, state, result, isError }: JournalledCall, longest: number): string {
  const call = `${nameInline(tool)} of ${nameInline(at)}`;
  if (state === "not_started") return `${call} was not started`;
  if (state === "started") return `${call} was started, and no end is known`;
  const end = `${call} ended${isError === true ? " with an error" : ""}`;
  return result === undefined || longest === 0 ? end : `${end}: ${quotedInline(result, longest)}`;
}
