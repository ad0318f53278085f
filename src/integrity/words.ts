/** For a call whose tool could not be run, beside others of the same message that were. */
export function failedCallText(reason: string): string {
  return `[This tool could not be run, and did nothing: ${reason}]`;
}
