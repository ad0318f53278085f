import type { OpenClawAtHand } from "../../doctor/index.ts";
import { PatchError, status, type Found } from "../../patching/index.ts";
import { isRegistered, setupOf } from "../../register/index.ts";
import { selected } from "../patch/status.ts";
import type { CommonOptions } from "../run.ts";

/** The OpenClaws that the options select, and whether they are patched. Empty where there are none. */
export function openClawsAtHand(options: CommonOptions): OpenClawAtHand[] {
  try {
    return selected(options).map(atHand);
  } catch (error) {
    if (error instanceof PatchError) return [];
    throw error;
  }
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
