/** What OpenClaw's record of a new session takes over from the one that it was forked from. */
import { isObject } from "../../transcript/json/json.ts";

/** A new session that was made from the path to an entry of another one. */
export interface Forked {
  readonly sessionId: string;
  readonly sessionKey: string;
  /** The name under which OpenClaw lists it. */
  readonly label: string;
  /** Id of the note's entry, at which the new session ends. */
  readonly noteId: string;
}

/**
 * What a person has chosen for a conversation: model, thinking, and what tools may do. Everything else in the record is
 * about runs, channels and people of the other conversation.
 */
const CHOICES: readonly string[] = [
  "providerOverride",
  "modelOverride",
  "modelOverrideSource",
  "modelOverrideRouteResolution",
  "agentRuntimeOverride",
  "authProfileOverride",
  "authProfileOverrideSource",
  "contextWindow",
  "thinkingLevel",
  "fastMode",
  "verboseLevel",
  "traceLevel",
  "reasoningLevel",
  "elevatedLevel",
  "toolOverrides",
  "sandbox",
  "sendPolicy",
  "execHost",
  "execSecurity",
  "execAsk",
  "execNode",
];

/** The choices in OpenClaw's record of a conversation. */
export function readChoices(entry: unknown): Record<string, unknown> {
  if (!isObject(entry)) return {};
  return Object.fromEntries(CHOICES.filter((name) => Object.hasOwn(entry, name)).map((name) => [name, entry[name]]));
}
