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
  /** True for a prompt: the first calls are listed, and no number that each later call changes. */
  readonly isBrief?: boolean;
  /** Whether to tell what the tools answered; true by default. */
  readonly withResults?: boolean;
}

/** How many calls, and characters of a result, are told in full and in brief. */
const WHOLE = { most: Infinity, longest: 200 };
const BRIEF = { most: 5, longest: 100 };

const NO_PROOF =
  "(no proof: it tells nothing of other sessions, sub-agents and programs, nor of what ran while it was off)";

/**
 * Says which tool calls came after the begin of an attempt, with their words quoted. It is evidence for who has to find
 * out, and decides nothing: a call may have been another action, and a missing one may have been made elsewhere.
 */
export function callsText(
  { calls, more }: CallsSince,
  { isBrief = false, withResults = true }: CallsTold = {},
): string {
  if (calls.length === 0)
    return `the tool journal has no call since it began, in the session that began it ${NO_PROOF}`;
  const { most, longest } = isBrief ? BRIEF : WHOLE;
  const told = calls.slice(0, most).map((call) => callText(call, withResults ? longest : undefined));
  if (calls.length > most || more > 0) told.push(isBrief ? "and later ones" : `and ${more} later`);
  return `calls since it began, in the session that began it, by the tool journal: ${told.join("; ")} ${NO_PROOF}`;
}

function callText({ tool, at, state, result, isError }: JournalledCall, longest: number | undefined): string {
  const call = `${nameInline(tool)} of ${nameInline(at)}`;
  if (state === "not_started") return `${call} was not started`;
  if (state === "started") return `${call} was started, and no end is known`;
  const end = `${call} ended${isError === true ? " with an error" : ""}`;
  return result === undefined || longest === undefined ? end : `${end}: ${quotedInline(result, longest)}`;
}
