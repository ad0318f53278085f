import { importFrom } from "../store/openclaw/openclaw-sessions.ts";
import type { PluginApi } from "./api.ts";
import { contextEngine, ENGINE_ID } from "./sessions/context-engine.ts";
import { placeInPrompt } from "./continuity/prompt.ts";
import { registerShared } from "./register.ts";

/**
 * Registers the hooks for OpenClaw 2026.9.6 and similar releases, where hooks get copies of messages. A conversation is
 * therefore examined and repaired in the store before OpenClaw reads it.
 */
export function registerHooks2026_9(api: PluginApi): void {
  const { monitor, continuity } = registerShared(api, "before_prompt_build");
  api.on("session_end", ({ reason, sessionId, sessionKey }) => {
    if (reason !== "deleted" || typeof sessionId !== "string") return;
    monitor().deletions.reported({ sessionId, sessionKey: typeof sessionKey === "string" ? sessionKey : undefined });
  });
  api.on("before_dispatch", async (event, { sessionKey = event.sessionKey }) => {
    if (typeof sessionKey === "string") await monitor().beforeRun(sessionKey);
  });
  if (continuity) {
    api.on("before_prompt_build", async (_event, context) => {
      const place = placeInPrompt(api.runtime?.version);
      const text = await continuity.briefingFor(context, place);
      return text === null ? undefined : { [place]: text };
    });
  }
  api.registerContextEngine?.(ENGINE_ID, () =>
    contextEngine(monitor, async (parameters) => {
      const { delegateCompactionToRuntime } = await importFrom<{
        readonly delegateCompactionToRuntime: (given: unknown) => Promise<unknown>;
      }>(monitor().options.root, "openclaw/plugin-sdk/core");
      return delegateCompactionToRuntime(parameters);
    }),
  );
}
