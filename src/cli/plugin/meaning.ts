/** The keys that an installation changes, in words for the person whose consent is asked for. */
import { TOOLS_COST } from "../../continuity-tools/cost.ts";
import type { Step } from "./record.ts";

/** What the plugin is, for a person who reads its id for the first time. */
export const WHAT_IT_IS =
  "clawos-l0 is the id of openclaw-integrity's plugin: it checks and repairs stored sessions, and shows that in chat";

const MEANINGS: readonly (readonly [key: string, meaning: string])[] = [
  ["load.paths", "OpenClaw finds the plugin in this folder"],
  ["entries.clawos-l0.enabled", "the plugin is turned on"],
  ["hooks.allowConversationAccess", "the plugin may read conversations, which it needs to validate stored sessions"],
  ["continuity.enabled", `agents may record unfinished work and continue it (${TOOLS_COST.tools} tools)`],
  ["timeTravel.enabled", "agents may return to an earlier place of their own history (2 tools)"],
  ["timeTravel.files", "the files of workspaces are captured, so that such a return can bring them back (needs git)"],
  ["keepPatched.enabled", "when an update of OpenClaw has removed the patch, the plugin applies and proves it again"],
  ["plugins.allow", "your list of plugins that may be loaded names this one too"],
];

/** What a change means, and why it is made; undefined for a key that needs no word. */
export function explainStep({ do: action, key }: Step): string | undefined {
  if (action === "drop") return "OpenClaw no longer looks for the plugin here, where it was before";
  const name = key.join(".");
  return MEANINGS.find(([end]) => name.endsWith(end))?.[1];
}
