/** Runs tools. */
export interface ToolExecutor {
  /**
   * Runs a tool. A tool that ran and failed returns an output with `isError`. An exception means that nothing was done:
   * the cycle is then rolled back without a trace, or the model is told, as `ToolCycleOptions.thrown` says. Any other
   * returned value is stored: a text or a list of blocks as the output, other values as JSON, nothing as `(no output)`,
   * an Error as an output with `isError`.
   */
  execute(name: string, input: unknown, call: ToolCall): ToolReturn;
}

/**
 * What a tool may return: a {@link ToolOutput}, a text, a list of blocks, the result of an MCP tool, an Error, nothing,
 * any other value, which is stored as its JSON, or a promise of one of these.
 */
export type ToolReturn = unknown;

/** The call that a tool is run for. */
export interface ToolCall {
  /**
   * The id under which the call is stored. A session has each id once, and the same call has the same one when it is
   * passed again: a tool can use it as a key by which it acts once.
   */
  readonly id: string;
  /** Aborted when the caller no longer waits; never aborted when the cycle was begun without a signal. */
  readonly signal: AbortSignal;
}

/** The output of a tool. */
export interface ToolOutput {
  /** Text, or blocks of content. */
  output: string | unknown[];
  isError?: boolean;
}

/** Options of a tool cycle. */
export interface ToolCycleOptions {
  /**
   * Stops the wait for tools that have not returned. Their calls are stored as calls that may have run, the other calls
   * with their results; the result of such a tool replaces that text when it returns later in the life of the process.
   */
  signal?: AbortSignal | undefined;
  /**
   * What becomes of a call whose tool throws. `"roll_back"`, the default: when no call of the message did anything, the
   * session is as before the cycle, and the model is told nothing. A program that asks again then sends the same
   * request, so it must end its loop at `rolledBack`. `"record"`: each such call is stored with its error as the
   * result, for one call as for several, and the model is told that the tool did nothing, and why.
   */
  thrown?: "roll_back" | "record" | undefined;
}
