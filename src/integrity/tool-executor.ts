/** What carries tools out. */
export interface ToolExecutor {
  /**
   * Runs a tool. A tool that ran and failed is an output with `isError`. To throw means that nothing was done: the cycle is then taken
   * back without a trace.
   */
  execute(name: string, input: unknown): Promise<ToolOutput> | ToolOutput;
}

/** What a tool gave back. */
export interface ToolOutput {
  /** Text, or blocks of content. */
  output: string | unknown[];
  isError?: boolean;
}
