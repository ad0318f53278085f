import { stripTypeScriptTypes } from "node:module";
import { sha256 } from "../../src/patching/base/hash.ts";
import type { Contents } from "./contents.ts";
import { applyExactly, parseDiff, type FileChange } from "./diff-file.ts";
import type { PullRequest, SourceFile } from "./pull-request.ts";

/** What was found in one pull request. */
export interface Checked {
  readonly name: string;
  /** What is wrong; empty when all is well. */
  readonly failures: readonly string[];
  /** Files whose contents could not be had, so that the diff was not applied to them. */
  readonly unchecked: readonly string[];
  /** Files the diff was applied to. */
  readonly applied: number;
  readonly productionLines: number;
}

/** The headings that PR.md must have: OpenClaw's template, and what its maintainers ask for besides. */
export const SECTIONS = [
  "What Problem This Solves",
  "Root Cause",
  "Why This Change Was Made",
  "User Impact",
  "Evidence",
  "Tests",
  "AI Assistance",
] as const;

const MAX_PRODUCTION_LINES = 150;
const MAX_CONTEXT = 3;

/** Checks a pull request: what can be seen offline always, the diff itself where the contents can be had. */
export async function checkPullRequest(request: PullRequest, contents: Contents): Promise<Checked> {
  const failures: string[] = [...missingSections(request.description)];
  const unchecked: string[] = [];
  let changes: readonly FileChange[] = [];
  try {
    changes = parseDiff(request.diff);
  } catch (error) {
    failures.push(describeError(error));
  }
  failures.push(...checkDiff(request, changes));
  let applied = 0;
  for (const file of request.source) {
    const change = changes.find(({ path }) => path === file.path);
    if (change === undefined) continue;
    const text = await contents(file);
    if (text === undefined) {
      unchecked.push(`${file.path} at ${file.commit.slice(0, 12)}`);
      continue;
    }
    const failure = describeMismatch(file, change, text);
    if (failure === undefined) applied += 1;
    else failures.push(failure);
  }
  for (const change of changes.filter(({ isNew }) => isNew)) {
    const failure = failureOfOutcome(change.path, () => applyExactly("", change));
    if (failure !== undefined) failures.push(failure);
  }
  return { name: request.name, failures, unchecked, applied, productionLines: productionLines(changes) };
}

function missingSections(description: string): string[] {
  return SECTIONS.filter((section) => !description.includes(`\n## ${section}\n`)).map(
    (section) => `PR.md: expected a section "## ${section}"; found none.`,
  );
}

/** What holds of a diff whatever it is applied to. */
function checkDiff({ source }: PullRequest, changes: readonly FileChange[]): string[] {
  const named = new Set(source.map(({ path }) => path));
  const changed = new Set(changes.map(({ path }) => path));
  const lines = productionLines(changes);
  return [
    ...changes
      .filter(({ path, isNew }) => !isNew && !named.has(path))
      .map(({ path }) => `change.diff: ${path} is changed but not named in source.json.`),
    ...[...named].filter((path) => !changed.has(path)).map((path) => `source.json: ${path} is named but not changed.`),
    ...changes
      .filter(({ longestContext, isNew }) => !isNew && longestContext > 2 * MAX_CONTEXT)
      .map(
        ({ path, longestContext }) =>
          `change.diff: ${path} shows ${longestContext} lines of theirs in a row; at most ${MAX_CONTEXT} around a change.`,
      ),
    ...(lines > MAX_PRODUCTION_LINES
      ? [`change.diff: ${lines} changed lines of production code; at most ${MAX_PRODUCTION_LINES}.`]
      : []),
    ...(changes.some(({ path }) => isTest(path)) ? [] : ["change.diff: expected a test beside the code; found none."]),
  ];
}

function describeMismatch(file: SourceFile, change: FileChange, text: string): string | undefined {
  const found = sha256(text);
  if (found !== file.sha256) {
    return `${file.path}: expected contents with sha256 ${file.sha256}; found ${found}. The commit or the hash in source.json is wrong.`;
  }
  return failureOfOutcome(file.path, () => applyExactly(text, change));
}

/** The outcome must be TypeScript; a file that does not parse is no change that could be proposed. */
function failureOfOutcome(path: string, make: () => string): string | undefined {
  try {
    stripTypeScriptTypes(make(), { mode: "strip" });
    return undefined;
  } catch (error) {
    return `${path}: ${describeError(error)}`;
  }
}

function productionLines(changes: readonly FileChange[]): number {
  return changes.filter(({ path }) => !isTest(path)).reduce((sum, { changedLines }) => sum + changedLines, 0);
}

function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
