import { createRequire } from "node:module";
import { describeError } from "../../base/coded-error.ts";
import { isEnabled } from "../../guard/base/switch.ts";
import { continuityMetric } from "../../observe/index.ts";
import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import type { HookContext, PluginApi, PluginLogger } from "../api.ts";
import type { ContinuityConfig } from "../settings/continuity.ts";
import {
  conversationAuthor,
  conversationProject,
  TOOL_NAMES,
  TOOL_PREFIX,
} from "../../continuity-tools/project-name.ts";
import type { PromptPlace } from "./prompt.ts";
import type { ContinuityWork } from "./work.ts";

/** What the hooks of both forms of the plugin call. */
export interface RegisteredContinuity {
  /**
   * Returns the briefing of a run of this conversation for that place; null when there is no work to continue. Never
   * rejects.
   */
  readonly briefingFor: (context: HookContext, place: PromptPlace) => Promise<string | null>;
}

type Parts = typeof import("./parts.ts");

/** Where recorded work is stored, and the log for errors. */
export interface WorkSettings {
  readonly config: ContinuityConfig;
  readonly stateDirectory: string;
  readonly log: Pick<PluginLogger, "error" | "warn">;
}

/**
 * OpenClaw loads a plugin several times in a process. All instances share the work, since otherwise their leases would
 * block each other.
 */
const SHARED = Symbol.for("openclaw-integrity.continuity.work.v1");
export const HOUR_MS = 60 * 60 * 1000;

interface Shared {
  readonly works: Map<string, ContinuityWork>;
  parts?: Parts | undefined;
  /** Loading failed and was logged. */
  hasFailed?: boolean;
}

/** Returns the recorded work of this process; undefined when it is turned off or cannot be loaded. Opens no store. */
export function sharedWork(settings: WorkSettings): ContinuityWork | undefined {
  const made = findMaker(settings);
  if (made === undefined) return undefined;
  const { works } = shared();
  const work = works.get(made.key) ?? made.make();
  works.set(made.key, work);
  return work;
}

/** Returns recorded work that the caller closes; undefined as for {@link sharedWork}. Opens no store. */
export function ownWork(settings: WorkSettings): ContinuityWork | undefined {
  return findMaker(settings)?.make();
}

function findMaker({
  config,
  stateDirectory,
  log,
}: WorkSettings): { readonly key: string; readonly make: () => ContinuityWork } | undefined {
  const parts = config.enabled && isEnabled() ? loadedParts(log) : undefined;
  if (parts === undefined) return undefined;
  const place = parts.storePlace(config, stateDirectory);
  const make = (): ContinuityWork =>
    new parts.ContinuityWork({
      place,
      log,
      toolPrefix: TOOL_PREFIX,
      metrics: continuityMetric,
      calls: parts.callsFrom(stateDirectory),
    });
  return { key: place.key, make };
}

/** Closes all recorded work of this process; the next use opens it again. Never rejects. */
export async function closeWork(): Promise<void> {
  await Promise.all([...shared().works.values()].map((work) => work.close()));
}

/** Registers the tools; returns undefined when recorded work is turned off. Loads nothing before the first use. */
export function registerContinuity(
  api: PluginApi,
  settings: () => WorkSettings,
  { enabled, scope, staleAfterHours }: ContinuityConfig,
): RegisteredContinuity | undefined {
  if (!enabled || !isEnabled()) return undefined;
  const staleAfterMs = staleAfterHours * HOUR_MS;
  api.registerTool(
    ({ sessionKey }) => {
      const work = isIncognito(sessionKey) ? undefined : sharedWork(settings());
      if (sessionKey === undefined || work === undefined) return null;
      return shared().parts!.toolsFor(
        () => work.project(conversationProject(sessionKey, scope), conversationAuthor(sessionKey)),
        work.leases,
        { staleAfterMs, calls: work.calls },
      );
    },
    { names: TOOL_NAMES },
  );
  return {
    briefingFor: async ({ sessionKey, runId }, place) => {
      if (sessionKey === undefined) return null;
      const request = {
        project_id: conversationProject(sessionKey, scope),
        conversation: conversationAuthor(sessionKey),
        noticeOnly: place === "appendSystemContext",
        staleAfterMs,
        runId,
      };
      return (await sharedWork(settings())?.briefing(request)) ?? null;
    },
  };
}

function shared(): Shared {
  const holder = globalThis as { [SHARED]?: Shared };
  return (holder[SHARED] ??= { works: new Map() });
}

/**
 * Loads the parts synchronously with Node's own `require`: OpenClaw asks for tools without waiting, and the loader of
 * OpenClaw 2026.2.3 would translate an imported module.
 */
function loadedParts(log: Pick<PluginLogger, "error">): Parts | undefined {
  const state = shared();
  if (state.parts !== undefined || state.hasFailed === true) return state.parts;
  try {
    state.parts = createRequire(import.meta.url)("./continuity-parts.mjs") as Parts;
  } catch (error) {
    state.hasFailed = true;
    log.error(
      `recorded work cannot be used: ${describeError(error)}. It needs Node 22.12 or later. Runs continue without it.`,
    );
  }
  return state.parts;
}
