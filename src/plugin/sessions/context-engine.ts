import { repair, type RepairStrategy } from "../../transcript/repair.ts";
import type { SessionMonitor } from "./session-monitor.ts";
import { toJson } from "../../transcript/json/json.ts";

/**
 * Rough number of characters per token. OpenClaw uses the estimate for its budget only where an engine shortens the
 * history, which this one does not.
 */
const CHARACTERS_PER_TOKEN = 4;
export const ENGINE_ID = "clawos-l0";

/** Without these declarations OpenClaw 2026.9 uses its own engine for every turn. */
const SEMANTICS = {
  currentTurnFence: "before-current-turn-entry-v1",
  turnAdvancementIdempotency: "atomic-idempotent-v1",
} as const;

/**
 * Returns a context engine for installations without the core patch: it repairs what is sent to a model in each run.
 * The store is repaired before the run and not by the engine, because messages replaced by `maintain` leave OpenClaw
 * 2026.9.6 without an index of the session, and that run fails. Compaction is left to OpenClaw. Only one engine can be
 * active, so this one is off unless `plugins.slots.contextEngine` names it.
 */
export function contextEngine(
  monitor: () => SessionMonitor,
  compact: (parameters: unknown) => Promise<unknown>,
): object {
  const strategy = (): RepairStrategy => monitor().options.config.repairStrategy;
  return {
    info: { id: ENGINE_ID, name: "Session integrity", ownsCompaction: false, transcriptSemantics: SEMANTICS },
    // No state is kept between turns, so committing a turn twice does no harm.
    commitTurn: async () => ({ status: "committed" }),
    ingest: async () => ({ ingested: false }),
    assemble: async ({ messages: given }: { readonly messages: readonly unknown[] }) => {
      const { messages } = repair(given, { strategy: strategy(), spelling: "openclaw" });
      return { messages, estimatedTokens: Math.ceil(toJson(messages).length / CHARACTERS_PER_TOKEN) };
    },
    compact,
  };
}
