import { repair } from "../transcript/repair.ts";
import type { PluginApi } from "./api.ts";
import { placeInMessages } from "./continuity/prompt.ts";
import { registerShared } from "./register.ts";

/**
 * Registers the hooks for OpenClaw 2026.2.3 and similar releases, where `before_agent_start` gets the live list of
 * messages that was read from the file before. The list is repaired for this run, the file when the run is over.
 */
export function registerHooks2026_2(api: PluginApi): void {
  const { monitor, continuity } = registerShared(api, "before_agent_start");
  api.on("before_agent_start", async ({ messages }, { sessionKey }) => {
    const { options, isPatched } = monitor();
    if (!options.config.validateBeforeCall) return;
    // The core patch repairs with more knowledge: it knows which results the journal holds.
    if (!isPatched && options.config.autoRepair && Array.isArray(messages)) {
      const { messages: sound } = repair(messages, { strategy: options.config.repairStrategy, spelling: "openclaw" });
      if (sound !== messages) messages.splice(0, messages.length, ...(sound as unknown[]));
    }
    if (sessionKey !== undefined) await monitor().beforeRun(sessionKey);
  });
  if (continuity) {
    // Registered after the hook above, so that the repair does not see the briefing.
    api.on("before_agent_start", async ({ messages }, context) => {
      if (Array.isArray(messages)) await placeInMessages(() => continuity.briefingFor(context, "message"), messages);
    });
  }
}
