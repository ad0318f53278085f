import type { OpenClawAtHand } from "../../doctor/index.ts";
import { findInstallations, PatchError, status, type Found } from "../../patching/index.ts";
import { isRegistered, setupOf } from "../../register/index.ts";

/** Finds the OpenClaws of the current folder, or else of this machine, and whether they are patched. Empty if none. */
export function openClawsAtHand(): OpenClawAtHand[] {
  for (const global of [false, true]) {
    try {
      return findInstallations({ global }).map(atHand);
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
    }
  }
  return [];
}

function atHand({ root, release, places }: Found): OpenClawAtHand {
  const base = { root, release };
  try {
    const { state } = status(root);
    if (state === "patched") return { ...base, patched: "files" };
    if (state !== "stock") return { ...base, patched: "part" };
    return { ...base, patched: isRegistered(setupOf(root, places)) ? "memory" : "no" };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    return { ...base, patched: "unknown" };
  }
}
