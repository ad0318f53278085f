/** Plans the patch of a source checkout from its texts. Reads only; everything that does not fit is thrown here. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { patchError } from "../base/errors.ts";
import { lineAt } from "../base/text.ts";
import { guardText, describeMismatch, type PatchOptions } from "../plan.ts";
import { PATCH_POINTS } from "../points/index.ts";
import { type Node, asNodes } from "../source/ast.ts";
import { type Chunk, GUARD_NAME, type Insertion, Mismatch } from "../source/insertion.ts";
import { find, type Finding, lineOfError } from "../locate/locate.ts";
import { listInsertions, judge, refusedIn, type Verdict } from "../locate/verdict.ts";
import { insertLines } from "../write/edit.ts";
import { stageFolder } from "../write/swap.ts";
import { type Checkout, readCheckout, type SourceFile } from "./checkout.ts";
import { isSamePatch, lineInFile, type Parted, partOurs } from "./own-lines.ts";
import { parseTypeScript } from "./parse-typescript.ts";
import { readVendored, type VendoredFile, vendoredFiles, vendoredImport } from "./vendored.ts";

/** A source file that gets lines. */
export interface SourcePlan extends SourceFile {
  /** Our lines by their place in the original, with the import first. */
  readonly insertions: readonly Insertion[];
  readonly patched: string;
  /** The text on the disk has all of it, in whatever formatting. */
  readonly isRight: boolean;
}

/** All changes that `apply --source` would make. */
export interface CheckoutPlan {
  readonly root: string;
  readonly release: string;
  readonly verdicts: readonly Verdict[];
  readonly files: readonly SourcePlan[];
  /** Sources that have lines of ours, and should have none. */
  readonly strays: readonly SourceFile[];
  readonly vendored: readonly VendoredFile[];
}

/**
 * State of a checkout: `half-patched` after an interrupted command or with a part of the lines changed; `outdated` with
 * the lines or the folder of another version.
 */
export type CheckoutState = "stock" | "patched" | "half-patched" | "outdated";

/** The mark of the line that imports the guard; no patch point. */
const IMPORT = "import";

/** What a checkout has, and what its patch points come to. */
export interface CheckoutSurvey {
  readonly checkout: Checkout;
  readonly verdicts: readonly Verdict[];
}

/** Finds all patch points in a checkout and judges them. Refuses nothing but a folder that is no checkout. */
export function surveyCheckout(root: string): CheckoutSurvey {
  const checkout = readCheckout(root);
  const findings = checkout.sources.flatMap((source) => locateIn(source, checkout.release));
  return { checkout, verdicts: judge(findings, undefined) };
}

/** Plans the patch of the checkout in `root`. Throws a PatchError for one that must not be touched. */
export function planCheckout(root: string, options: PatchOptions = {}): CheckoutPlan {
  const guard = guardText(options);
  return planSurveyed(surveyCheckout(root), guard);
}

/** As {@link planCheckout} for a checkout that was surveyed, with the guard's text. */
export function planSurveyed({ checkout, verdicts }: CheckoutSurvey, guard: string): CheckoutPlan {
  const refused = refusedIn(verdicts);
  if (refused !== undefined)
    throw patchError("point-mismatch", {
      ...describeMismatch(refused, checkout.release),
      todo: `It depends on: ${refused.point.dependsOn}. Nothing was changed.`,
    });
  const files = checkout.sources.flatMap((source) => planSource(source, verdicts) ?? []);
  const planned = new Set(files.map(({ file }) => file));
  return {
    root: checkout.root,
    release: checkout.release,
    verdicts,
    files,
    strays: checkout.sources.filter(({ file, own }) => own.length > 0 && !planned.has(file)),
    vendored: vendoredFiles(guard),
  };
}

/** Returns the state of a checkout as it was planned for. */
export function checkoutState({ root, files, strays, vendored }: CheckoutPlan): CheckoutState {
  const marked = [...files, ...strays].filter(({ own }) => own.length > 0).length;
  const present = vendored.filter(({ file }) => existsSync(join(root, file)));
  // A command was interrupted, and left its stage.
  if (existsSync(stageFolder(root))) return "half-patched";
  if (marked === 0 && present.length === 0) return "stock";
  const isWhole = files.every(({ isRight }) => isRight) && strays.length === 0;
  const isSame = vendored.every(({ file, text }) => readVendored(root, file) === text);
  if (isWhole && isSame) return "patched";
  return present.length === vendored.length && marked === files.length + strays.length ? "outdated" : "half-patched";
}

function locateIn(source: SourceFile, release: string): readonly Finding[] {
  return locateInOriginal(source, release).map((finding) => ({ ...finding, line: lineInFile(source, finding.line) }));
}

function locateInOriginal({ file, original }: SourceFile, release: string): readonly Finding[] {
  const candidates = PATCH_POINTS.filter(({ needles }) => needles.some((needle) => original.includes(needle)));
  if (candidates.length === 0) return [];
  const parts = { file, source: original, release, guardImport: vendoredImport(file), isSource: true };
  let tree: Node;
  try {
    tree = parseTypeScript(original);
  } catch (error) {
    // Without the place that acorn adds, which is that in the original.
    const reason = (error instanceof Error ? error.message : String(error)).replace(/ \(\d+:\d+\)$/, "");
    const mismatch = `no TypeScript that can be parsed: ${reason}`;
    return candidates.map((point) => ({ point, file, line: lineOfError(error), mismatch }));
  }
  const chunk: Chunk = { ...parts, tree };
  return candidates.flatMap((point) => find(chunk, point));
}

function planSource(source: SourceFile, verdicts: readonly Verdict[]): SourcePlan | undefined {
  const { file } = source;
  const lines = listInsertions(verdicts, file);
  if (lines.length === 0) return undefined;
  const insertions = [planImport(source, lines), ...lines.filter(({ where }) => where !== "top")];
  const { patched, parted } = putIn(source, insertions);
  return { ...source, insertions, patched, isRight: isSamePatch(source, parted) };
}

/**
 * Returns the original with some of the planned lines. Throws `outcome-invalid` where they cannot be taken out again.
 */
export function withLines(source: SourceFile, insertions: readonly Insertion[]): string {
  return putIn(source, insertions).patched;
}

/** As {@link withLines}, with what is ours in that text. */
function putIn(
  { file, original }: SourceFile,
  insertions: readonly Insertion[],
): { readonly patched: string; readonly parted: Parted } {
  try {
    const patched = insertLines(original, insertions);
    parseTypeScript(patched);
    const parted = partOurs(file, patched);
    if (parted.original !== original || parted.own.length !== insertions.length)
      throw new Error("the patched text does not lead back to the original");
    return { patched, parted };
  } catch (error) {
    const line = error instanceof Mismatch ? ` at line ${lineAt(original, error.offset)}` : "";
    throw patchError("outcome-invalid", {
      expected: "whole lines that can be put in and taken out again, and a file that parses",
      found: `${error instanceof Error ? error.message : String(error)} in ${file}${line}`,
      todo: "Nothing was changed.",
      cause: error,
    });
  }
}

/** The import of the guard below the last import of the file; points that need a name of their own get a part of it. */
function planImport({ file, original }: SourceFile, lines: readonly Insertion[]): Insertion {
  const imports = asNodes(parseTypeScript(original)["body"]).filter(({ type }) => type === "ImportDeclaration");
  const named = lines.filter(({ where }) => where === "top").map(({ text }) => text);
  const whole = `import * as ${GUARD_NAME} from ${JSON.stringify(vendoredImport(file))};`;
  const text = [
    ...new Set(named),
    ...(lines.some(({ text: line }) => line.includes(`${GUARD_NAME}.`)) ? [whole] : []),
  ].join(" ");
  const last = imports.at(-1);
  return last
    ? { point: IMPORT, where: "after", statement: { start: last.start, end: last.end }, text }
    : { point: IMPORT, where: "top", statement: { start: 0, end: 0 }, text };
}
