/** Without the comments that have lines of their own. */
export function withoutComments(code: string): string {
  return code.replaceAll(/^\s*(?:\/\*[^]*?\*\/|\/\/.*$)/gm, "");
}

/** How many lines are neither blank nor comment. */
export function countCodeLines(code: string): number {
  return withoutComments(code)
    .split("\n")
    .filter((line) => line.trim() !== "").length;
}
