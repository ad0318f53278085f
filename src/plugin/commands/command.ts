import { realpathSync } from "node:fs";
import { describeError } from "../../base/coded-error.ts";
import { visibleLines } from "../../base/visible.ts";
import type { CommandContext, CommandDefinition } from "../api.ts";
import { manifestIn } from "../../patching/find/package.ts";
import type { SessionMonitor } from "../sessions/session-monitor.ts";
import { determineAudience, type Audience } from "./audience.ts";
import { OPERATOR, refuseSender } from "./owner.ts";

/** A command that the owner has sent. */
export interface OwnersCommand extends CommandContext {
  readonly audience: Audience;
}

/** A chat command of the plugin. `answer` resolves to the text of the reply. */
export interface Command {
  readonly name: string;
  readonly description: string;
  readonly acceptsArgs: boolean;
  /** The answer describes all conversations, so the command is refused in a group. */
  readonly isOfAll?: boolean;
  readonly answer: (monitor: SessionMonitor, command: OwnersCommand) => Promise<string>;
}

/** The names in a chat begin with one of these: `l0` (Layer 0) is the older one, and goes on working. */
const OLDER_PREFIX = "l0-";
const PREFIX = "integrity-";

/** Returns the command under each of its names: `/l0-status` is `/integrity-status` too. */
export function listNamesakes(command: Command): readonly Command[] {
  if (!command.name.startsWith(OLDER_PREFIX)) return [command];
  return [command, { ...command, name: `${PREFIX}${command.name.slice(OLDER_PREFIX.length)}` }];
}

/** Reply to a command in a group that concerns other conversations. */
export const NOT_IN_A_GROUP =
  "Others read this chat, and the answer concerns other conversations. Send the command in a direct chat, " +
  "or run `npx openclaw-integrity` on the gateway's machine. Nothing was done.";

/**
 * Returns the definition of a command for OpenClaw. Only the owner is answered: the definition asks OpenClaw to check
 * this, and because some releases check less, {@link refuseSender} checks again. Errors are replied as text. A reply
 * contains no path of the machine, and no character that acts on the client that shows it.
 */
export function defineCommand(
  { answer, isOfAll = false, ...command }: Command,
  monitor: () => SessionMonitor,
): CommandDefinition {
  return {
    ...command,
    requireAuth: true,
    requiredScopes: [OPERATOR],
    handler: async (context) => {
      const audience = determineAudience(context);
      const refused =
        refuseSender(context, audience, readRelease(monitor)) ??
        (isOfAll && audience === "group" ? NOT_IN_A_GROUP : undefined);
      if (refused !== undefined) return { text: refused };
      let folders: readonly Folder[] = [];
      const replied = async (): Promise<string> => {
        const used = monitor();
        folders = listFolders(used);
        context.assertOwnerCurrent?.();
        return answer(used, { ...context, audience });
      };
      const text = await replied().catch(describeError);
      return { text: visibleLines(folders.reduce((rest, { path, name }) => rest.replaceAll(path, () => name), text)) };
    },
  };
}

/**
 * Returns the release of the OpenClaw that this process runs; empty where it is unknown. Never throws, so that a
 * refused sender learns nothing about the machine.
 */
function readRelease(monitor: () => SessionMonitor): string {
  try {
    return manifestIn(monitor().options.root)?.version ?? "";
  } catch {
    return "";
  }
}

/**
 * A folder of the machine, and the name that replaces it in chats: paths are shown only to those who use the machine.
 */
interface Folder {
  readonly path: string;
  readonly name: string;
}

/** Returns the folders to replace, the longest path first, because one may contain the other. */
function listFolders({ options: { stateDirectory, root } }: SessionMonitor): readonly Folder[] {
  const folders = [
    { path: stateDirectory, name: "$OPENCLAW_STATE_DIR" },
    { path: root, name: "(OpenClaw)" },
  ];
  return folders
    .flatMap(({ path, name }) => [
      { path, name },
      { path: realPath(path), name },
    ])
    .toSorted((one, other) => other.path.length - one.path.length);
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
