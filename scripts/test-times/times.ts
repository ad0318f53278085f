/** What one test file took. */
export interface FileTime {
  /** Path from the repository. */
  readonly file: string;
  readonly tests: number;
  readonly skipped: number;
  readonly failed: number;
  /** Its tests and hooks, and what it imports. */
  readonly ms: number;
}

/** How the run went as a whole. */
export interface RunFacts {
  readonly day: string;
  readonly node: string;
  readonly cores: number;
  /** The system's load average of the last minute, before and after. */
  readonly load: readonly [number, number];
  /** How much longer the limits were than on a quiet machine. */
  readonly patience: number;
  /** From the start of the first file to the end of the last one. */
  readonly wallMs: number;
}

/** The page of where the time goes: sums by room, then each file, the slowest first. */
export function pageOf(files: readonly FileTime[], facts: RunFacts): string {
  const rooms = Map.groupBy(files, ({ file }) => roomOf(file));
  const sums = [...rooms].map(([room, inside]) => ({ name: room, files: inside.length, ...sumOf(inside) }));
  const all = sumOf(files);
  const red = all.failed === 0 ? "All were green." : `Red: ${all.failed}, in ${redIn(files)}.`;
  const load = facts.load.map((value) => value.toFixed(1)).join(" before and ");
  return `# Where the time of \`npm test\` goes

${facts.day}, \`npm run test:times\`, Node ${facts.node}, ${facts.cores} cores, load average ${load} after; limits ${facts.patience} times as long.
${files.length} files, ${all.tests} tests, ${all.skipped} of them skipped. ${red} The files took ${seconds(facts.wallMs)} s, two at a time; the build before
is not in it. The seconds of a file are those of its imports, hooks and tests; on a machine with other work they are long.

## Rooms

| room | files | tests | seconds |
| - | - | - | - |
${sums
  .toSorted((a, b) => b.ms - a.ms)
  .map(({ name, files: count, tests, ms }) => `| ${name} | ${count} | ${tests} | ${seconds(ms)} |`)
  .join("\n")}
| all | ${files.length} | ${all.tests} | ${seconds(all.ms)} |

## Files

| file | tests | skipped | seconds |
| - | - | - | - |
${files
  .toSorted((a, b) => b.ms - a.ms || (a.file < b.file ? -1 : 1))
  .map(({ file, tests, skipped, ms }) => `| ${nameOf(file)} | ${tests} | ${skipped} | ${seconds(ms)} |`)
  .join("\n")}
`;
}

/** `src/guard` of `src/guard/load/file.test.ts`; tests beside no room are their own. */
function roomOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}

function sumOf(files: readonly FileTime[]): Omit<FileTime, "file"> {
  const sum = { tests: 0, skipped: 0, failed: 0, ms: 0 };
  for (const file of files) for (const key of ["tests", "skipped", "failed", "ms"] as const) sum[key] += file[key];
  return sum;
}

function redIn(files: readonly FileTime[]): string {
  return files.flatMap(({ file, failed }) => (failed > 0 ? [nameOf(file)] : [])).join(", ");
}

function nameOf(file: string): string {
  return file.replace(/\.test\.ts$/, "");
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
