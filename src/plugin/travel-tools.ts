import { isEnabled } from "../guard/base/switch.ts";
import { timeTravelError } from "../timetravel/errors.ts";
import {
  compactTimeline,
  intentDetails,
  markDetails,
  MAX_CARRYOVER,
  MAX_MOVES,
  TIMELINE_TOOL,
  TOBE_TOOL,
  type TravellingSession,
  travellingSession,
  type WorkReader,
} from "../timetravel/index.ts";
import { isObject } from "../transcript/json/json.ts";
import { valueInline } from "../base/quoted.ts";
import { disableFiles, enableFiles } from "../workspace/live.ts";
import { agentOfKey } from "../store/sessions/session-coordinates.ts";
import type { PluginApi, ToolDefinition } from "./api.ts";
import type { TimeTravelConfig } from "./settings/config.ts";
import { ownCommand } from "../base/commands/own-command.ts";

/** Names of the time travel tools in OpenClaw; openclaw.plugin.json lists them too. */
export const TRAVEL_TOOLS: readonly string[] = [TOBE_TOOL, TIMELINE_TOOL];

const DEFAULT_PLACES = 20;
const MAX_PLACES = 200;
/** Bytes of an answer for which a number of places was asked for. */
const MOST_BYTES = 16_000;

/**
 * Offers the tools `tobe` and `timeline` when they are turned on. The core patch makes the move; without it the tools
 * fail with `no-run`. `toWorkReader` gives what reads the recorded work of a conversation when it moves.
 */
export function registerTravel(
  api: PluginApi,
  { enabled, files }: TimeTravelConfig,
  toWorkReader: (sessionKey: string) => WorkReader | undefined = () => undefined,
): void {
  // Configuration can change while the process goes on.
  if (!enabled || !files) disableFiles();
  if (!enabled || !isEnabled()) return;
  api.registerTool(
    ({ sessionKey, workspaceDir }) => {
      if (sessionKey === undefined) return null;
      const withFiles = files && workspaceDir !== undefined && workspaceDir !== "";
      if (withFiles) enableFiles(sessionKey, agentOfKey(sessionKey), workspaceDir);
      return defineTools(sessionKey, withFiles, toWorkReader);
    },
    { names: TRAVEL_TOOLS },
  );
}

/** The parameters of `tobe` where files are captured. */
const FILES_PARAMETERS = {
  files: {
    type: "string",
    enum: ["keep", "restore"],
    description:
      "restore: the files of the workspace that you changed since come back too, as they were at that place " +
      "(what commands wrote included). keep (default): they stay as they are.",
  },
  conflicts: {
    type: "string",
    enum: ["theirs", "ours"],
    description:
      "With restore, for files that someone else changed since, after you were told of them: theirs keeps what " +
      "they wrote, ours takes the earlier version.",
  },
} as const;

function defineTools(
  sessionKey: string,
  withFiles: boolean,
  toWorkReader: (sessionKey: string) => WorkReader | undefined,
): readonly ToolDefinition[] {
  return [
    {
      name: TOBE_TOOL,
      label: "Go back",
      description:
        "Go back to an earlier place of this conversation's history and go on from there, with a note to yourself " +
        "about what you learned. Use it when an approach has turned out wrong and its details would only mislead " +
        "you. What lies behind the place is no longer in front of you afterwards (it stays stored as a branch); " +
        `${withFiles ? "files come back only with files: restore; commands" : "files, commands"} and sent ` +
        "messages are NOT undone. The user's last message comes along by itself. The move is made once all calls of " +
        "your present batch are done. " +
        `At most ${MAX_MOVES} moves until the user says something again.`,
      parameters: {
        type: "object",
        additionalProperties: false,
        required: ["target", "carryover_message"],
        properties: {
          target: {
            type: "string",
            description:
              "Where to: a name that was given with timeline's mark; the id of a place as timeline lists it; " +
              "turn:-1 (before the user's last message), turn:-2 and so on; root (before the first message).",
          },
          carryover_message: {
            type: "string",
            description:
              "The note: what you found out, what is done already, what to do differently. " +
              `1 to ${MAX_CARRYOVER} characters.`,
          },
          ...(withFiles && FILES_PARAMETERS),
        },
      },
      catalogMode: "direct-only",
      execute: async (_callId, input) => {
        const [target, note] = [textIn(input, "target"), textIn(input, "carryover_message")];
        const files = choiceIn(input, "files", ["keep", "restore"]);
        const conflicts = choiceIn(input, "conflicts", ["theirs", "ours"]);
        const session = requireSession(sessionKey);
        const work = toWorkReader(sessionKey);
        const { intent, text } =
          files === "restore"
            ? await session.requestWithFiles(target, note, conflicts, work)
            : session.request(target, note, work);
        return { content: [{ type: "text", text }], details: intentDetails(intent) };
      },
    },
    {
      name: TIMELINE_TOOL,
      label: "Timeline",
      description:
        "List the places of this conversation's history that tobe can go to, the youngest first, with the ends of " +
        "branches that were left, where moves left from, checkpoints and names. With mark: give the present place a " +
        "name before you try something, and go back to it by that name.",
      parameters: {
        type: "object",
        additionalProperties: false,
        properties: {
          mark: {
            type: "string",
            description: "A short name for the place before this batch of calls, such as before-refactoring.",
          },
          limit: {
            type: "integer",
            minimum: 1,
            maximum: MAX_PLACES,
            description: "How many of each; left out, a short list.",
          },
          before: { type: "string", description: "Only places older than this one." },
        },
      },
      catalogMode: "direct-only",
      execute: async (_callId, input) => {
        const session = requireSession(sessionKey);
        const [name, before] = [optionalTextIn(input, "mark"), optionalTextIn(input, "before")];
        const limit = limitIn(input);
        const marked = name === undefined ? undefined : session.mark(name);
        const answer = session.timeline({ most: limit ?? DEFAULT_PLACES, before });
        const text = compactTimeline(answer, {
          marked,
          ...(limit !== undefined && { most: limit, bytes: MOST_BYTES }),
        });
        return {
          content: [{ type: "text", text }],
          details: marked === undefined ? { head: answer.head } : markDetails(marked.name),
        };
      },
    },
  ];
}

function requireSession(sessionKey: string): TravellingSession {
  const session = travellingSession(sessionKey);
  if (session) return session;
  throw timeTravelError("no-run", {
    expected: "a run of this conversation in an OpenClaw with the core patch of openclaw-integrity",
    found: "none, or one of another version",
    todo: `Go on without it. The operator can apply the patch with \`${ownCommand("apply")}\`.`,
  });
}

function choiceIn<Choice extends string>(
  input: unknown,
  name: string,
  choices: readonly [Choice, Choice],
): Choice | undefined {
  const value = isObject(input) ? input[name] : undefined;
  if (value === undefined || value === null || value === "") return undefined;
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  throw timeTravelError("bad-target", {
    expected: `${name} as ${choices.join(" or ")}`,
    found: valueInline(value),
    todo: "Nothing was moved.",
  });
}

function textIn(input: unknown, name: string): string {
  const value = isObject(input) ? input[name] : undefined;
  if (typeof value === "string") return value;
  throw timeTravelError("bad-target", {
    expected: `${name} as a text`,
    found: value === undefined ? "none" : typeof value,
    todo: "Nothing was done.",
  });
}

/** Models send an empty text or null for what they leave out. */
function optionalTextIn(input: unknown, name: string): string | undefined {
  const value = isObject(input) ? (input[name] ?? "") : "";
  return value === "" ? undefined : textIn(input, name).trim();
}

function limitIn(input: unknown): number | undefined {
  const value = isObject(input) ? input.limit : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_PLACES) return value;
  throw timeTravelError("bad-target", {
    expected: `limit as a whole number from 1 to ${MAX_PLACES}`,
    found: JSON.stringify(value),
    todo: "Leave limit out to see the youngest places.",
  });
}
