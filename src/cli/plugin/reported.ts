/** What OpenClaw reports on the plugin, for a person. */
import type { ConfigDraft } from "./config-file.ts";
import { PLUGIN_ID } from "./folder.ts";
import type { PluginReport } from "./openclaw.ts";
import type { Outcome } from "../run.ts";

const EXPECTED =
  "  OpenClaw says that it cannot verify where the plugin came from: this is expected for a plugin that is " +
  "loaded from a folder";

/**
 * The lines and warnings for a report. OpenClaw warns of the origin of each plugin that it has no record of and that
 * plugins.allow does not name. Its warnings have no kind, so a single one of such a plugin is taken for that.
 */
export function reportedOn(
  { diagnostics, isLoaded, isUnrecorded }: PluginReport,
  draft: ConfigDraft,
): Required<Pick<Outcome, "lines" | "warnings">> {
  const allowed = draft.get(["plugins", "allow"]);
  const isNamed = Array.isArray(allowed) && allowed.includes(PLUGIN_ID);
  if (isLoaded && isUnrecorded && !isNamed && diagnostics.length === 1) return { lines: [EXPECTED], warnings: [] };
  return { lines: [], warnings: diagnostics.map((text) => `OpenClaw reports on the plugin: ${text}`) };
}
