import { repair, type RepairStrategy } from "../../transcript/repair.ts";
import type { SessionMonitor } from "./session-monitor.ts";
import { toJson } from "../../transcript/json/json.ts";

/**
 * About as many characters make a token; OpenClaw uses it for its budget only where an engine shortens, which this one
 * does not.
 */
const CHARACTERS_PER_TOKEN = 4;
export const ENGINE_ID = "clawos-l0";

/** Without these OpenClaw 2026.9 uses its own engine for every turn. */
const SEMANTICS = {
  currentTurnFence: "before-current-turn-entry-v1",
  turnAdvancementIdempotency: "atomic-idempotent-v1",
} as const;

/**
 * A context engine for those who cannot apply the core patch: what is sent to a model is repaired in each run. The
 * store is repaired before the run and not by the engine: what `maintain` replaces leaves OpenClaw 2026.9.6 without an
 * index of the session, and that very run fails. It compacts as OpenClaw does. The slot is exclusive, so that it is off
 * unless `plugins.slots.contextEngine` names it. Issue 6, item 2.
 */
export function contextEngine(
  monitor: () => SessionMonitor,
  compact: (parameters: unknown) => Promise<unknown>,
): object {
  const strategy = (): RepairStrategy => monitor().options.config.repairStrategy;
  return {
    info: { id: ENGINE_ID, name: "Session integrity", ownsCompaction: false, transcriptSemantics: SEMANTICS },
    // Nothing is kept of a turn, so that nothing can be kept twice.
    commitTurn: async () => ({ status: "committed" }),
    ingest: async () => ({ ingested: false }),
    assemble: async ({ messages: given }: { readonly messages: readonly unknown[] }) => {
      const { messages } = repair(given, { strategy: strategy(), spelling: "openclaw" });
      return { messages, estimatedTokens: Math.ceil(toJson(messages).length / CHARACTERS_PER_TOKEN) };
    },
    compact,
  };
}
