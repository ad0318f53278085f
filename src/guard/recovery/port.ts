import type { Size } from "../../recovery/size/measure.ts";

/** The parts of a model call that the ladder uses. */
export interface ModelCall {
  readonly model: unknown;
  /** OpenClaw's messages, prepared for the adapter. */
  readonly messages: unknown[];
  /** The messages of the request, with the parts that were found to be refused. */
  readonly whole: readonly unknown[];
  /** The messages of the request, before anything was left out for its size. */
  readonly unfitted: unknown[];
  /** What system prompt and tools take of a request. */
  overhead(): Size;
  /** A person, or OpenClaw, has ended the call. */
  readonly isAborted: boolean;
  /** How many messages OpenClaw passed. */
  readonly given: number;
  /** The history in the body of the last request, in the API's form; undefined when no body was built. */
  sent(): readonly unknown[] | undefined;
  /** The whole body of the last request, as it was sent; undefined when no body was built. */
  body(): unknown;
  /** Sends the request again with other messages. */
  send(messages: unknown[]): unknown;
  /** Sends a request for one token with these messages. */
  probe(messages: unknown[], signal: AbortSignal): unknown;
}
