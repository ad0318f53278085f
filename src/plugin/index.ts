/**
 * The plugin `clawos-l0`: what a person sees of session integrity, and defence in depth where the core patch is
 * missing. Issue 6.
 */
import type { PluginApi } from "./api.ts";
import { registerHooks2026_9 } from "./hooks-2026-9.ts";
import { registerHooks2026_2 } from "./hooks-2026-2.ts";

export default {
  id: "clawos-l0",
  name: "Session integrity",
  description: "Scans stored sessions, repairs them before they can stop an agent, and shows what was found.",
  register(api: PluginApi): void {
    // Engines came with the hooks that see copies; a release says by it which of the two it is.
    if (typeof api.registerContextEngine === "function") registerHooks2026_9(api);
    else registerHooks2026_2(api);
  },
};
