/**
 * The plugin `clawos-l0`: shows the state of stored sessions to the operator, and repairs them where the core patch is
 * missing.
 */
import type { PluginApi } from "./api.ts";
import { registerHooks2026_9 } from "./hooks-2026-9.ts";
import { registerHooks2026_2 } from "./hooks-2026-2.ts";

export default {
  id: "clawos-l0",
  name: "Session integrity",
  description: "Scans stored sessions, repairs them before they can stop an agent, and shows what was found.",
  register(api: PluginApi): void {
    // The releases that offer context engines are those whose hooks get copies of messages.
    if (typeof api.registerContextEngine === "function") registerHooks2026_9(api);
    else registerHooks2026_2(api);
  },
};
