import type { Checkup, GatewayAtHand, OpenClawAtHand } from "../../doctor/index.ts";
import { describeError } from "../../base/coded-error.ts";
import {
  findEntry,
  fateWhenUnpatched,
  findInstallations,
  PatchError,
  patchState,
  readRecord,
  type AppliedPatch,
  type Found,
} from "../../patching/index.ts";
import { gatewaysAtHand } from "../gateways.ts";
import { examineInstallation } from "../patch/status.ts";
import type { CommonOptions } from "../run.ts";

/** The gateways that run; undefined where the system has no list of processes. */
export function gatewaysWith(openclaws: readonly OpenClawAtHand[]): readonly GatewayAtHand[] | undefined {
  return gatewaysAtHand(
    openclaws.map(({ root, patched }) => {
      const isPatched = patched === "unknown" ? undefined : patched === "files" || patched === "outdated";
      return { root, isPatched };
    }),
  );
}

/**
 * The OpenClaws that the options select (without options those of the project, else those of the machine), and whether
 * they are patched and in which way. No OpenClaw where none was found, with the reason in words.
 */
export function openClawsAtHand(
  options: CommonOptions,
): Pick<Checkup, "whyNone"> & Required<Pick<Checkup, "openclaws">> {
  try {
    const record = readRecord();
    const found = findInstallations(options);
    // The same options name them all, and no single one, for a command that is printed.
    const several = found.length > 1;
    return { openclaws: found.map((one) => ({ ...atHand(one, record), ...(several && { path: one.root }) })) };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    return { openclaws: [], whyNone: error.code === "openclaw-missing" ? "none was found" : describeError(error) };
  }
}

function atHand(found: Found, record: readonly AppliedPatch[]): OpenClawAtHand {
  const { release, root, places } = found;
  const { state, way, proof } = examineInstallation(found, record);
  switch (state) {
    case "patched":
      return { release, root, patched: "files", ...(proof === "pending" && { isUnproven: true }) };
    case "outdated":
      return { release, root, patched: "outdated" };
    case "half-patched":
      return { release, root, patched: "part" };
    case "stock": {
      if (way === "register") return { release, root, patched: "memory" };
      const { sentence } = fateWhenUnpatched(root, release, findEntry(record, root, places));
      return { release, root, patched: "no", fate: sentence };
    }
    case "unknown":
      // Files that others changed may hold the patch all the same.
      if (patchState(root).fate === "patched") return { release, root, patched: "unknown" };
      return {
        release,
        root,
        patched: "no",
        fate: `OpenClaw ${release} is not patched, and apply would refuse it.`,
        isRefused: true,
      };
  }
}
