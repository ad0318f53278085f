import type { Fork, Report } from "../../patching/index.ts";

/** How many files are named; more of them are counted. */
const MAX_FILES = 20;

const WORDS = {
  changed: "changed",
  missing: "not there, or without the code of a patch point",
  added: "not in the published one",
} as const;

/** Returns what a fork has other than the published OpenClaw at the places of the patch, a line for each file. */
export function forkLines({ release, fork }: Pick<Report, "release"> & { readonly fork: Fork }): readonly string[] {
  const { of, files } = fork;
  if (of === undefined)
    return [
      `OpenClaw ${release} is compared with no published release: none has this version, or one that it begins with.`,
    ];
  if (files.length === 0)
    return [`OpenClaw ${release} has its own version, and the patched code as published with ${of}, file by file.`];
  return [
    `OpenClaw ${release} differs from the published ${of} in files that the patch concerns:`,
    ...files
      .slice(0, MAX_FILES)
      .map(({ file, difference, found }) => `  ${file}: ${WORDS[difference]}${found ? ` (sha256 ${found})` : ""}`),
    ...(files.length > MAX_FILES ? [`  and ${files.length - MAX_FILES} more`] : []),
  ];
}
