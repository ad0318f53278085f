import { isObject } from "../../transcript/json/json.ts";
import type { GuardedSession } from "../openclaw/session.ts";
import { toRoute } from "./routes.ts";
import { findWindow, withWindow } from "./window.ts";

/** How full a window may be before OpenClaw compacts: what its later releases leave of a small one. */
const FULL = 0.75;

/** How much more than what a compaction keeps has to be in a window, so that not every turn ends with one. */
const ROOM = 1.25;

/** What OpenClaw leaves free of a window, and keeps behind a compaction, where its settings do not say. */
const RESERVED = 20_000;
const KEPT = 20_000;

/**
 * Makes OpenClaw's agent compact in time, for this run alone: a model that declares a larger window than the route has
 * named is replaced by a copy that declares the named one. OpenClaw compacts when a window is full but for a reserve,
 * which it has chosen for the larger window, so the copy's window is larger by that reserve. Nothing is changed where
 * the window is so small that a compaction would follow every turn, nor where OpenClaw compacts at another place, which
 * does not read the model (2026.9).
 */
export function tellWindow(session: GuardedSession): void {
  const { agent, settingsManager } = session;
  const model = agent.state?.model;
  if (!isObject(model) || typeof model.contextWindow !== "number") return;
  const window = findWindow(toRoute(model), model);
  if (!window) return;
  const settings = settingsManager?.getCompactionSettings?.();
  const { enabled, reserveTokens = RESERVED, keepRecentTokens = KEPT } = isObject(settings) ? settings : {};
  if (enabled === false) return;
  const full = Math.floor(window.tokens * FULL);
  if (full < Number(keepRecentTokens) * ROOM) return;
  const told = Math.max(window.tokens, full + Number(reserveTokens));
  if (!(told < model.contextWindow)) return;
  const copy = withWindow(model, told);
  if (typeof agent.setModel === "function") agent.setModel(copy);
  else agent.state!.model = copy;
}
