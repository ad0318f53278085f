import type { PluginApi } from "../api.ts";
import { runningTurns } from "./running-turns.ts";

/** The hook of a beginning run: in releases with context engines, and before. */
export type RunBegins = "before_prompt_build" | "before_agent_start";

/** Registers the hooks by which the plugin knows what the gateway is answering. */
export function followTurns(api: PluginApi, runBegins: RunBegins): void {
  api.on("message_received", () => runningTurns().arrived());
  api.on(runBegins, (_event, { sessionKey }) => {
    if (sessionKey !== undefined) runningTurns().began(sessionKey);
  });
  api.on("agent_end", (_event, { sessionKey }) => {
    if (sessionKey !== undefined) runningTurns().ended(sessionKey);
  });
}
