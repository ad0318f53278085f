/** What carries tools out. */
export interface ToolExecutor {
  /**
   * Runs a tool. A tool that ran and failed is an output with `isError`. To throw means that nothing was done: the
   * cycle is then taken back without a trace. Whatever else it gives back is stored: a text or a list of blocks as the
   * output, any other value as its JSON, nothing as `(no output)`, an Error as an output with `isError`.
   */
  execute(name: string, input: unknown): Promise<ToolOutput> | ToolOutput;
}

/** What a tool gave back. */
export interface ToolOutput {
  /** Text, or blocks of content. */
  output: string | unknown[];
  isError?: boolean;
}

/** How a tool cycle is carried out. */
export interface ToolCycleOptions {
  /**
   * Ends the waiting for tools that do not come back. Their calls are stored as ones that may have run, the others with
   * their results; what such a tool gives back later takes the place of these words as long as the process lives.
   */
  signal?: AbortSignal;
}
