import { repair, type RepairStrategy } from "../transcript/repair.ts";
import type { SessionKeeper } from "./keeper.ts";

/** What OpenClaw hands to an engine, as far as it is used here (facts/plugin-api.md; OpenClaw's docs/concepts/context-engine.md). */
interface Maintained {
  readonly sessionId: string;
  readonly runtimeContext?: {
    readonly rewriteTranscriptEntries?: (request: { readonly replacements: readonly Replacement[] }) => Promise<Maintenance>;
  };
}
export interface Replacement {
  readonly entryId: string;
  readonly message: unknown;
}
interface Maintenance {
  readonly changed: boolean;
  readonly bytesFreed: number;
  readonly rewrittenEntries: number;
  readonly reason?: string;
}

/** About as many characters make a token; OpenClaw uses it for its budget only where an engine shortens, which this one does not. */
const CHARACTERS_PER_TOKEN = 4;
export const ENGINE_ID = "clawos-l0";

/**
 * A context engine for those who cannot apply the core patch: what is sent to a model is repaired in each run, and the stored conversation where that is
 * possible by replacing messages. It compacts as OpenClaw does. The slot is exclusive, so that it is off unless
 * `plugins.slots.contextEngine` names it. Issue 6, item 2.
 */
export function contextEngine(keeper: () => SessionKeeper, compact: (parameters: unknown) => Promise<unknown>): object {
  const strategy = (): RepairStrategy => keeper().options.config.repairStrategy;
  return {
    info: { id: ENGINE_ID, name: "Session integrity", ownsCompaction: false, turnMaintenanceMode: "foreground" },
    ingest: async () => ({ ingested: false }),
    assemble: async ({ messages: given }: { readonly messages: readonly unknown[] }) => {
      const { messages } = repair(given, { strategy: strategy(), spelling: "openclaw" });
      return { messages, estimatedTokens: Math.ceil(JSON.stringify(messages).length / CHARACTERS_PER_TOKEN) };
    },
    compact,
    maintain: async ({ sessionId, runtimeContext }: Maintained): Promise<Maintenance> => {
      const { examiner, log } = keeper().options;
      const nothing = { changed: false, bytesFreed: 0, rewrittenEntries: 0 };
      const rewrite = runtimeContext?.rewriteTranscriptEntries;
      if (rewrite === undefined) return nothing;
      const replacements = await examiner.call("replacements", { which: sessionId, strategy: strategy() });
      if (replacements.length === 0) return nothing;
      const done = await rewrite({ replacements });
      log.warn(`session ${sessionId}: ${done.rewrittenEntries} stored messages were replaced in the run`);
      return done;
    },
  };
}
