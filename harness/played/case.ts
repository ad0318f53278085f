import type { SessionInput } from "../openclaw/types.ts";
import type { Front, Step, StrictProvider } from "../providers/index.ts";

/** A conversation with a provider, as it is played to an OpenClaw: the same for each of them, request by request. */
export interface PlayedCase {
  /** Of its own in its group, kebab-case. */
  id: string;
  /** What goes wrong, in a line for a person. */
  title: string;
  /** Where it was reported (`openclaw#N`), or how it was found. */
  report: string;
  session: SessionInput;
  /** Words of the stored history, each in one place of it. */
  marks: readonly string[];
  turns: readonly PlayedTurn[];
}

/** One message of a person, and what the provider does with the requests for it. */
export interface PlayedTurn {
  message: string;
  /** The words of the provider's answer; no other answer of the case has them. */
  answer: string;
  /** What stands before the provider in this turn. */
  front?: Front;
  /** OpenClaw's id of another provider, of the same API, that the message goes to. */
  provider?: string;
  /** What the provider does with the first requests that it takes; the answer comes behind. */
  steps?: readonly Step[];
  /** What else the provider has against the conversation in this turn. */
  prepare?: (provider: StrictProvider) => void;
  /** The trace of the command during which OpenClaw is killed. */
  killAt?: string;
}

/** The turns of a case: a message of marked words, and an answer of words that no other turn has. */
export function makeTurns(tag: string, more: readonly Partial<PlayedTurn>[]): PlayedTurn[] {
  return more.map((one, at) => ({
    message: `Please say hello, ${makeMark(tag, `said${at + 1}`)}`,
    answer: `The answer is kestrel-${at + 1}.`,
    ...one,
  }));
}

/** A word that can be looked for in a request; of two with names of one length none holds the other. */
export function makeMark(tag: string, name: string): string {
  return `heron-${tag}-${name}`;
}

/** Every marked word in these values, in the order in which they stand there. */
export function marksIn(values: readonly unknown[]): string[] {
  return [...new Set(JSON.stringify(values).match(/\bheron-[a-z0-9]+-[a-z0-9]+\b/g))];
}
