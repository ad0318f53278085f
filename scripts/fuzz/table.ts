/** Prints rows in columns, the head first. */
export function printTable(rows: readonly string[][]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    );
}

/** Rows as a table of Markdown. */
export function markdownTable(rows: readonly string[][]): string {
  const [head = [], ...body] = rows;
  return [head, head.map(() => "-"), ...body].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
