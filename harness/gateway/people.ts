/**
 * People who write to the letterbox, a channel of the test's own: what they say goes through OpenClaw's own
 * dispatcher, command execution included.
 */
import type { Gateway } from "./index.ts";
import { pluginSettings } from "./plugin-settings.ts";

/** Somebody who writes in a chat of the letterbox. */
export interface Person {
  readonly senderId: string;
  /** The group that is written in; without it a direct chat. */
  readonly group?: string;
}

export const OWNER: Person = { senderId: "owner-1" };
/** Somebody who may talk to the agent, and command it, without being its owner. */
export const FRIEND: Person = { senderId: "friend-2" };
/** Somebody of a group whose members may command, and the owner there. */
export const MEMBER: Person = { senderId: "member-3", group: "g1" };
export const OWNER_IN_GROUP: Person = { ...OWNER, group: "g1" };
/** Somebody on no list. */
export const STRANGER: Person = { senderId: "stranger-4" };

export const MAIN = "agent:main:main";
export const GROUP = "agent:main:letterbox:group:g1";
/** How the owner is named in `commands.ownerAllowFrom`. */
export const OWNERS_ENTRY = "letterbox:owner-1";

const LETTERBOX = { enabled: true, allowFrom: [OWNER.senderId, FRIEND.senderId], groupAllowFrom: [MEMBER.senderId] };

/**
 * The settings of a gateway with the plugin and the letterbox, whose owners are those; and the environment that it
 * needs for a channel. Without a configuration it has the letterbox alone.
 */
export function settingsWithPeople(
  dist: string,
  owners: readonly string[],
  config: object | null = {},
): { readonly settings: Record<string, object>; readonly env: Record<string, string> } {
  const { plugins } = pluginSettings(dist, config);
  // Without its channels OpenClaw passes over their configuration too.
  return {
    settings: {
      plugins,
      channels: { letterbox: LETTERBOX },
      ...(owners.length > 0 && { commands: { ownerAllowFrom: owners } }),
    },
    env: { OPENCLAW_SKIP_CHANNELS: "" },
  };
}

/**
 * What OpenClaw answers to what somebody says in the letterbox: in the main conversation or in the group's, unless
 * another is named.
 */
export async function say(
  gateway: Gateway,
  { senderId, group }: Person,
  text: string,
  sessionKey = group === undefined ? MAIN : GROUP,
): Promise<string> {
  const { text: answer } = await gateway.request("letterbox.receive", { senderId, group, text, sessionKey });
  return String(answer);
}

/**
 * A command of who may give it in either base release: a client of the gateway with the scope of an operator;
 * 2026.2.3 tells no scopes, there the owner on a channel.
 */
export async function asOperator(gateway: Gateway, sessionKey: string, text: string): Promise<string> {
  return gateway.release === "2026.2.3"
    ? say(gateway, OWNER, text, sessionKey)
    : (await gateway.send(sessionKey, text)).finalText;
}
