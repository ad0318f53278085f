/** The patch of a checkout as a series for `git am`: the guard first, then one commit for each thing that it prevents. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { patchError } from "../base/errors.ts";
import { withUnixLines } from "../base/text.ts";
import { PATCH_POINTS, PATCH_SET } from "../points/index.ts";
import type { PatchOptions } from "../plan.ts";
import { plainGit } from "./git.ts";
import { planCheckout, type SourcePlan, withLines } from "./plan.ts";

/** Where patches are written first: a series of which a kill has left some applies too, and is not the whole patch. */
const PARTIAL = ".openclaw-integrity-partial";

/** A commit, and the patch points whose lines it inserts. */
interface Step {
  readonly subject: string;
  readonly points: readonly string[];
}

const STEPS: readonly Step[] = [
  { subject: "sessions: repair a stored transcript before it is opened", points: ["session-load"] },
  {
    subject: "agents: keep stored tool results with their calls on load",
    points: ["attempt-history-load", "compaction-history-load"],
  },
  {
    subject: "agents: send no history that the provider refuses",
    points: ["attempt-history-gate", "compaction-history-gate"],
  },
  { subject: "sessions: copy a transcript before a reset deletes it", points: ["session-reset"] },
  { subject: "sessions: remove the lock of a process that is gone", points: ["session-lock"] },
  {
    subject: "auto-reply: keep messages that wait for a run through a kill",
    points: ["acknowledged-message", "accepted-message", "followup-queues"],
  },
  {
    subject: "sessions: wait for the index of a session instead of failing the turn",
    points: ["session-index", "session-projection"],
  },
];
const AUTHOR = ["-c", "user.name=openclaw-integrity", "-c", "user.email=openclaw-integrity@users.noreply.github.com"];
const WIDTH = 72;

/**
 * Writes the patch of the checkout in `root` as files of `git format-patch` into `folder`, which is made or is empty. The
 * checkout is not changed; it need not be a repository. Each commit of the series builds. Returns the files' names. Throws
 * what {@link planCheckout} throws, `git-failed`, and `folder-not-empty`.
 */
export function writeSeries(root: string, folder: string, options: PatchOptions = {}): readonly string[] {
  const { release, files, vendored } = planCheckout(root, options);
  const target = resolve(folder);
  const isNew = !existsSync(target);
  const there = isNew ? [] : readdirSync(target).filter((name) => name !== PARTIAL);
  if (there.length > 0)
    throw patchError("folder-not-empty", {
      expected: `an empty folder for the patches in ${folder}`,
      found: there.slice(0, 5).join(", "),
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
    for (const step of STEPS) {
      for (const point of step.points) done.add(point);
      const changed = files.filter(({ insertions }) => insertions.some(({ point }) => step.points.includes(point)));
      if (changed.length > 0)
        write(
          changed.map((file) => ({ file: file.file, text: withLines(file, upTo(file, done)) })),
          stepMessage(step),
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
      `The functions that the commits after this one call. Patch set ${PATCH_SET}, fitted to OpenClaw ${release}. Nothing ` +
        "imports the folder yet.",
    ),
  ].join("\n\n");
}

function stepMessage({ subject, points }: Step): string {
  const [point] = PATCH_POINTS.filter(({ id }) => points.includes(id));
  if (!point) return subject;
  return [subject, wrapped(point.why), wrapped(`Inserted: ${point.inserts}.`)].join("\n\n");
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
