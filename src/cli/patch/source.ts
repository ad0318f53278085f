import { resolve } from "node:path";
import {
  applyToCheckout,
  explainCheckout,
  revertCheckout,
  VENDOR_FOLDER,
  verifyCheckout,
  writeSeries,
  type CheckoutReport,
} from "../../patching/index.ts";
import { shellWord } from "../../base/commands/shell-word.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { EXIT, run, UsageError, type CommonOptions, type Outcome } from "../run.ts";
import { applied } from "./apply.ts";
import { explanationLines } from "./explanation-text.ts";
import { pointLines } from "./show.ts";

/** The commands that take a source checkout. */
export const SOURCE_COMMANDS = ["apply", "verify", "revert", "explain"] as const;
type SourceCommand = (typeof SOURCE_COMMANDS)[number];

/** Options of a command with `--source`. */
export interface SourceOptions extends CommonOptions {
  readonly source: string;
  /** `--patch <folder>` */
  readonly patch?: string;
  /** `--dirty` */
  readonly dirty?: boolean;
  readonly fork?: boolean;
  readonly prove?: boolean;
  readonly followLinks?: boolean;
}

/** Runs a command on a source checkout instead of an installed OpenClaw. */
export function sourceCommand(command: SourceCommand, options: SourceOptions): void {
  run(options, () => {
    const other = [
      options.path !== undefined && "--path",
      options.global === true && "--global",
      options.fork === true && "--fork",
      options.prove === true && "--prove",
      options.followLinks === true && "--follow-links",
    ].find((name) => name !== false);
    if (other !== undefined)
      throw new UsageError(
        `expected --source without ${other}, which is for an installed OpenClaw; found both. Leave one out.`,
      );
    // A shell gives an empty word for a variable that is not set; it would be the current folder.
    const empty = (["source", "patch"] as const).find((name) => options[name] === "");
    if (empty !== undefined) throw new UsageError(`expected a folder after --${empty}; found an empty word.`);
    return WORK[command](resolve(options.source), options);
  });
}

const WORK: Readonly<Record<SourceCommand, (root: string, options: SourceOptions) => Outcome>> = {
  apply(root, { patch, dirty }) {
    if (patch !== undefined) return series(root, resolve(patch));
    const report = applyToCheckout(root, { dirty });
    const outcome = show(report, applied(report));
    if (report.action === "already") return outcome;
    return {
      ...outcome,
      lines: [...outcome.lines, "Build it as ever. What is built is patched; it needs no apply of its own."],
    };
  },
  verify: (root) => {
    const report = verifyCheckout(root);
    return show(report, `patched, every line as it should be (patch set ${report.patchSet})`);
  },
  revert(root) {
    const { files, kept } = revertCheckout(root);
    return {
      data: { root, action: files.length === 0 ? "already" : "reverted", files, kept },
      lines: [
        `The sources in ${root}: ` +
          `${files.length === 0 ? "were not patched, nothing to do" : "our lines and files are removed"}`,
        ...files.map((file) => `  ${file}`),
      ],
      warnings: kept.map((file) => `${file} was changed after it was written, and stays`),
    };
  },
  explain(root) {
    const explanation = explainCheckout(root);
    return {
      data: { ...explanation },
      lines: explanationLines(explanation),
      exit: explanation.outcome === "refused" ? EXIT.no : EXIT.ok,
    };
  },
};

const IGNORED: Readonly<Record<CheckoutReport["ignoredBy"][number], string>> = {
  git:
    "git ignores the folder of the guard here, and a commit without it does not build: " +
    `git add --force ${VENDOR_FOLDER}, then git commit --no-verify (OpenClaw's commit hook adds it once more ` +
    "without --force, which fails)",
  docker:
    "Docker leaves the folder of the guard out, and an image without it does not build: add the line " +
    `!${VENDOR_FOLDER}/ at the end of .dockerignore`,
};

function show(report: CheckoutReport, sentence: string): Outcome {
  const { root, release, files, leftOut, ignoredBy } = report;
  return {
    data: { ...report },
    lines: [
      `The sources of OpenClaw ${release} in ${root}: ${sentence}`,
      ...pointLines(report),
      ...files.map((file) => `  ${file}`),
    ],
    warnings: [
      ...leftOut.map(({ point, reason }) => `${point} was left out: ${reason}`),
      ...ignoredBy.map((who) => IGNORED[who]),
    ],
  };
}

function series(root: string, folder: string): Outcome {
  const files = writeSeries(root, folder);
  return {
    data: { root, folder, files },
    lines: [
      `${files.length} patches for the sources in ${root} written to ${folder}; the sources are not changed:`,
      ...files.map((file) => `  ${file}`),
      `To apply them: git am ${shellWord(folder)}/*.patch. To change the sources ` +
        `instead: ${ownCommand("apply", { options: ["--source", root] })}`,
    ],
  };
}
