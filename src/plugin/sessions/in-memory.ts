import type { PatchState } from "../../patching/patch-state.ts";
import { registeredHere } from "../../register/marker.ts";

/**
 * Returns the state of the patch in an OpenClaw that got its files patched from memory when it was started; undefined
 * in any other. To be asked in the thread that runs OpenClaw: a worker thread does not load its files.
 */
export function readMemoryPatch(root: string): PatchState | undefined {
  const here = registeredHere(root);
  // Refused: it runs from its files, and their state counts.
  if (here === undefined || here.refused !== undefined) return undefined;
  const { release, patchSet } = here;
  const sentence = `OpenClaw ${release} runs patched from memory by openclaw-integrity.`;
  // The files were patched before any of them was loaded.
  return { root, release, patchSet, fate: "patched", sentence, since: 0, way: "register" };
}
