import { fileURLToPath } from "node:url";
import type { WorkerSetup } from "../types.ts";

const ID = "clawos-l0";
const FOLDER = fileURLToPath(new URL("../../../dist/plugin", import.meta.url));

/**
 * The settings of OpenClaw's plugins with ours among them, where a test asks for it. `hasGrant` says whether this
 * release asks for leave to read conversations.
 */
export function withOwnPlugin(
  plugins: Record<string, unknown>,
  { plugin }: WorkerSetup,
  hasGrant: boolean,
): Record<string, unknown> {
  if (plugin === undefined) return plugins;
  const {
    allow = [],
    entries = {},
    enabled: _turnedOff,
    ...rest
  } = plugins as { allow?: string[]; entries?: object; enabled?: boolean };
  return {
    ...rest,
    slots: { memory: "none" },
    allow: [...allow, ID],
    load: { paths: [FOLDER] },
    entries: {
      ...entries,
      [ID]: { enabled: true, config: plugin, ...(hasGrant && { hooks: { allowConversationAccess: true } }) },
    },
  };
}
