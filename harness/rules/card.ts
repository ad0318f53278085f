import type { HistoryProblem } from "../../src/recovery/failure.ts";
import type { ModelApi } from "../corpus/case.ts";

export type Json = Record<string, unknown>;

/** Where a refusal was seen. */
export type Source =
  /** A line of harness/recorded, counted from 0. */
  | { recorded: number }
  /** A public report, `owner/repository#number`; `says` are its words where they differ from those of the card. */
  | { report: string; says?: string }
  /** A recording of another project, `owner/repository: path`. */
  | { recording: string };

/** Whose server it is. */
export interface Host {
  host: string;
  model: string;
}

/** A rule that is known before a request is sent: what breaks it is healed. */
export interface Card {
  api: ModelApi;
  /** The name with which `check` reports it. */
  rule: string;
  /** What is refused. */
  what: string;
  /** What healing does. */
  heals: string;
  /** Which hosts and models refuse it; undefined where each host of the API does. */
  where?: string;
  /** The provider's words, without what is of one request; the strict server's text has them. */
  error: string;
  problem: HistoryProblem;
  sources: readonly [Source, ...Source[]];
  /** Who refuses it. */
  target: Host;
  /** Who takes the same body; there is one where the rule does not hold everywhere. */
  elsewhere?: Host;
  /** Fields of the body beside the history and what `requestTo` gives every body of the API. */
  fields?: Json;
  /** A history that breaks the rule. */
  refused: readonly unknown[];
  /** The places in it that healing changes. */
  faulty: readonly number[];
  /** A history close to it that is taken. */
  taken: readonly unknown[];
  /** Texts of the refused history that are no part of it in this spelling, and are sent. */
  mustReach?: readonly string[];
}

/**
 * A rule that some hosts have and nothing tells before the refusal: its body is sent as it is, and the recovery answers
 * the refusal within one more request.
 */
export interface SuspectedCard {
  api: ModelApi;
  /** A model of which nothing is known. */
  model: string;
  what: string;
  heals: string;
  error: string;
  problem: HistoryProblem;
  sources: readonly [Source, ...Source[]];
  /** OpenClaw's history. */
  messages: readonly Json[];
  /** True for a history in a body that such a host refuses. */
  refuses(items: readonly Json[]): boolean;
}
