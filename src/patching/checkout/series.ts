/**
 * The patch of a checkout as a series for `git am`: the guard first, then one commit for each thing that it prevents.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { groupBy } from "../../base/group-by.ts";
import { patchError } from "../base/errors.ts";
import { withUnixLines } from "../base/text.ts";
import { PATCH_POINTS, PATCH_SET } from "../points/index.ts";
import type { PatchOptions } from "../plan.ts";
import type { PatchPoint } from "../source/point.ts";
import { plainGit } from "./git.ts";
import { planCheckout, type SourcePlan, withLines } from "./plan.ts";

/** Where patches are written first: a series of which a kill has left some applies too, and is not the whole patch. */
const PARTIAL = ".openclaw-integrity-partial";

const AUTHOR = ["-c", "user.name=openclaw-integrity", "-c", "user.email=openclaw-integrity@users.noreply.github.com"];
const WIDTH = 72;

/**
 * Writes the patch of the checkout in `root` as files of `git format-patch` into `folder`, which is made or is empty.
 * The checkout is not changed; it need not be a repository. Each commit of the series builds. Returns the files' names.
 * Throws what {@link planCheckout} throws, `git-failed`, and `folder-not-empty`.
 */
export function writeSeries(root: string, folder: string, options: PatchOptions = {}): readonly string[] {
  const { release, files, vendored } = planCheckout(root, options);
  const target = resolve(folder);
  const isNew = !existsSync(target);
  const present = isNew ? [] : readdirSync(target).filter((name) => name !== PARTIAL);
  if (present.length > 0)
    throw patchError("folder-not-empty", {
      expected: `an empty folder for the patches in ${folder}`,
      found: present.slice(0, 5).join(", "),
      todo: "Name another folder, or empty this one. Nothing was written.",
    });
  const partial = join(target, PARTIAL);
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "openclaw-integrity-series-"));
  try {
    const write = (all: readonly { readonly file: string; readonly text: string }[], message: string): void => {
      for (const { file, text } of all) {
        mkdirSync(dirname(join(work, file)), { recursive: true });
        // git am takes the ends of lines that OpenClaw's repository has, whatever the checkout made of them.
        writeFileSync(join(work, file), withUnixLines(text));
      }
      // Forced: a user's list of ignored files may have a folder vendor.
      plainGit(work, ["add", "--all", "--force"]);
      plainGit(
        work,
        [...AUTHOR, "-c", "commit.gpgSign=false", "commit", "--quiet", "--no-verify", "--file", "-"],
        message,
      );
    };
    plainGit(work, ["-c", "init.templateDir=", "init", "--quiet", "--initial-branch", "series"]);
    write(
      files.map(({ file, original }) => ({ file, text: original })),
      `OpenClaw ${release}`,
    );
    plainGit(work, ["tag", "published"]);
    write(vendored, vendoredMessage(release));
    const done = new Set<string>();
    for (const [subject, points] of groupBy(PATCH_POINTS, ({ commit }) => commit)) {
      for (const { id } of points) done.add(id);
      const changed = files.filter(({ insertions }) =>
        insertions.some(({ point }) => points.some(({ id }) => id === point)),
      );
      if (changed.length > 0)
        write(
          changed.map((file) => ({ file: file.file, text: withLines(file, upTo(file, done)) })),
          commitMessage(subject, points),
        );
    }
    plainGit(work, [
      "format-patch",
      "--quiet",
      "--zero-commit",
      "--no-signature",
      "--output-directory",
      partial,
      "published..series",
    ]);
    const patches = readdirSync(partial).toSorted();
    for (const name of patches) renameSync(join(partial, name), join(target, name));
    return patches;
  } finally {
    rmSync(partial, { recursive: true, force: true });
    if (isNew && readdirSync(target).length === 0) rmdirSync(target);
    rmSync(work, { recursive: true, force: true });
  }
}

/** The lines of the points that are done, and the import as soon as there is one. */
function upTo({ insertions }: SourcePlan, done: ReadonlySet<string>): SourcePlan["insertions"] {
  const [first, ...lines] = insertions;
  return [first!, ...lines.filter(({ point }) => done.has(point))];
}

function vendoredMessage(release: string): string {
  return [
    "vendor: add the guard of openclaw-integrity",
    wrapped(
      `The functions that the commits after this one call. Patch set ${PATCH_SET}, fitted to ` +
        `OpenClaw ${release}. Nothing ` +
        "imports the folder yet.",
    ),
  ].join("\n\n");
}

function commitMessage(subject: string, points: readonly PatchPoint[]): string {
  return [
    subject,
    ...points.slice(0, 1).flatMap(({ why, inserts }) => [wrapped(why), wrapped(`Inserted: ${inserts}.`)]),
  ].join("\n\n");
}

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}
