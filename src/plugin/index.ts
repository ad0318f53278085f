/**
 * The plugin `clawos-l0`: what a person sees of session integrity, and defence in depth where the core patch is
 * missing. Issue 6.
 */
import type { PluginApi } from "./api.ts";
import { registerCurrent } from "./current.ts";
import { registerFirst } from "./first.ts";

export default {
  id: "clawos-l0",
  name: "Session integrity",
  description: "Scans stored sessions, repairs them before they can stop an agent, and shows what was found.",
  register(api: PluginApi): void {
    // Engines came with the hooks that see copies; a release says by it which of the two it is.
    if (typeof api.registerContextEngine === "function") registerCurrent(api);
    else registerFirst(api);
  },
};
