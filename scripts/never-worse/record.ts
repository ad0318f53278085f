import type { Variant } from "../start/record.ts";
import type { GateCase } from "./case.ts";

/** What a provider got for one message, and what the person got. */
export interface TurnRecord {
  /** Whether the provider's own words came back. */
  answered: boolean;
  /** All that was shown, or OpenClaw's error. */
  shown: string;
  ms: number;
  requests: { status: number; refusedBy?: string; error?: string }[];
  /** Requests after the answer, and such that only ask whether something would be taken. */
  behind: number;
  /** Whether the provider has refused, in an earlier turn and for what is in it, what it has just taken. */
  wasRefused?: true;
  /** The words and pictures that the last accepted request had; undefined when none was accepted. */
  sent?: string[];
}

/** A case in one OpenClaw. */
export interface CaseRecord {
  played: GateCase;
  release: string;
  variant: Variant;
  turns: TurnRecord[];
  timedOut: boolean;
  /** Why it could not be played. */
  error?: string;
}

/** The word that stands for a picture: how many of them a request has is compared like its words. */
export function pictureWord(nth: number): string {
  return `picture ${nth}`;
}

/** True for such a word. */
export function isOfPicture(word: string): boolean {
  return word.startsWith("picture ");
}
