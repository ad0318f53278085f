import { realpathSync } from "node:fs";
import { reasonOf } from "../../base/coded-error.ts";
import { visibleLines } from "../../base/visible.ts";
import type { CommandContext, CommandDefinition } from "../api.ts";
import { manifestIn } from "../../patching/find/package.ts";
import type { SessionMonitor } from "../sessions/session-monitor.ts";
import { audienceOf, type Audience } from "./audience.ts";
import { OPERATOR, refusalOf } from "./owner.ts";

/** A command as the owner has sent it. */
export interface OwnersCommand extends CommandContext {
  readonly audience: Audience;
}

/** What a command of the plugin does; its text is the reply. */
export interface Command {
  readonly name: string;
  readonly description: string;
  readonly acceptsArgs: boolean;
  /** It tells of each conversation there is: not where others read along. */
  readonly isOfAll?: boolean;
  readonly answer: (monitor: SessionMonitor, command: OwnersCommand) => Promise<string>;
}

/** What is said in a group to a command that is not about the group's own conversation. */
export const NOT_IN_A_GROUP =
  "Others read along here, and this tells of other conversations than this one. Send it in a direct chat, " +
  "or run `npx openclaw-integrity` on the gateway's machine. Nothing was done.";

/**
 * The command as OpenClaw takes it. Nobody but the owner is answered: OpenClaw is told to ask for that, and since a
 * release may ask for less, it is asked for here once more (see {@link refusalOf}). What fails is said in words; no
 * answer names a folder of the machine, and in none can a name that others chose act on the client that shows it.
 */
export function definitionOf(
  { answer, isOfAll = false, ...command }: Command,
  monitor: () => SessionMonitor,
): CommandDefinition {
  return {
    ...command,
    requireAuth: true,
    requiredScopes: [OPERATOR],
    handler: async (context) => {
      const audience = audienceOf(context);
      const refused =
        refusalOf(context, audience, releaseOf(monitor)) ??
        (isOfAll && audience === "group" ? NOT_IN_A_GROUP : undefined);
      if (refused !== undefined) return { text: refused };
      let folders: readonly Folder[] = [];
      const said = async (): Promise<string> => {
        const reached = monitor();
        folders = foldersOf(reached);
        context.assertOwnerCurrent?.();
        return answer(reached, { ...context, audience });
      };
      const text = await said().catch(reasonOf);
      return { text: visibleLines(folders.reduce((rest, { path, name }) => rest.replaceAll(path, () => name), text)) };
    },
  };
}

/**
 * The release of OpenClaw that this process runs; empty when it cannot be told. Never throws: who is refused learns
 * nothing of the machine.
 */
function releaseOf(monitor: () => SessionMonitor): string {
  try {
    return manifestIn(monitor().options.root)?.version ?? "";
  } catch {
    return "";
  }
}

/** A folder of the machine, and what a chat is told in its place: where files lie is for who is on the machine. */
interface Folder {
  readonly path: string;
  readonly name: string;
}

/** The longest first: one may lie in the other. */
function foldersOf({ options: { stateDirectory, root } }: SessionMonitor): readonly Folder[] {
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
