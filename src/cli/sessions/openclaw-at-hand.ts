import type { Checkup, OpenClawAtHand } from "../../doctor/index.ts";
import { reasonOf } from "../../base/coded-error.ts";
import { findInstallations, PatchError, readRecord, type Found } from "../../patching/index.ts";
import { statusOf, type InstallationStatus } from "../patch/status.ts";
import type { CommonOptions } from "../run.ts";

/**
 * The OpenClaws that the options select (without options those of the project, else those of the machine), and whether
 * they are patched and in which way. No OpenClaw where none was found, with the reason in a sentence.
 */
export function openClawsAtHand(options: CommonOptions): Required<Pick<Checkup, "openclaws" | "patch">> {
  try {
    const record = readRecord();
    const found = selected(options).map((one) => statusOf(one, record));
    return {
      openclaws: found.map((one) => ({ release: one.release, root: one.root, patched: patchedHow(one) })),
      patch: {
        isPatched: found.every(({ fate, way }) => fate === "patched" && way !== undefined),
        sentences: found.map(({ release, root, state, sentence }) =>
          state === "patched"
            ? `OpenClaw ${release} in ${root} is patched: its files are changed (apply).`
            : `${sentence} (${root})`,
        ),
      },
    };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const why = error.code === "openclaw-missing" ? "none was found" : reasonOf(error);
    const todo = "Name the OpenClaw of these sessions with --path or --global.";
    return {
      openclaws: [],
      patch: { isPatched: undefined, sentences: [`Whether OpenClaw is patched is unknown: ${why}. ${todo}`] },
    };
  }
}

function selected(options: CommonOptions): readonly Found[] {
  try {
    return findInstallations(options);
  } catch (error) {
    if (options.path !== undefined || options.global === true) throw error;
    return findInstallations({ global: true });
  }
}

function patchedHow({ state, way }: InstallationStatus): OpenClawAtHand["patched"] {
  if (state === "patched") return "files";
  if (state === "unknown") return "unknown";
  if (state !== "stock") return "part";
  return way === "register" ? "memory" : "no";
}
