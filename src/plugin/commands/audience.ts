import type { CommandContext } from "../api.ts";

/** The channel of the gateway's own clients: Control UI, TUI, `chat.send`. */
export const GATEWAY_CHANNEL = "webchat";

/**
 * Who reads the answer to a command: the sender alone (`private`), others too (`group`), or `unknown`: OpenClaw
 * 2026.2.3 does not report where a command was sent.
 */
export type Audience = "private" | "group" | "unknown";

// Matches the ids of group chats as OpenClaw does, and the group and broadcast addresses of WhatsApp.
const CONVERSATION = /(?:^|:)(?:channel|group|room|space|spaces):|^chat_id:|@(?:g\.us|newsletter|broadcast)$/i;
/**
 * Session keys of one-to-one conversations: `agent:<id>:main` (or another name of the main conversation), a thread of
 * it, and a conversation with one person, `agent:<id>:telegram:direct:123`.
 */
const ONE_TO_ONE = /^agent:[^:]+:(?:[^:]+(?::thread:[^:]+)?$|(?:.+:)?(?:direct|dm):)/i;

/** Returns whether an id is that of a group chat, not of a person. */
export function isConversation(id: string): boolean {
  return CONVERSATION.test(id.trim());
}

/** Returns who reads the answer to a command. `private` is returned only where that is certain. */
export function determineAudience({
  channel,
  gatewayClientScopes,
  senderId,
  sessionKey,
  from,
  to,
}: CommandContext): Audience {
  if ([sessionKey, from, to].some((place) => place !== undefined && isConversation(place))) return "group";
  if (channel === GATEWAY_CHANNEL) return "private";
  // A client of the gateway may have the answer delivered on a channel, where others read it.
  if (gatewayClientScopes !== undefined) return "unknown";
  if (sessionKey !== undefined) return ONE_TO_ONE.test(sessionKey) ? "private" : "unknown";
  const isFromSender =
    senderId !== undefined && senderId !== "" && (from === senderId || from?.endsWith(`:${senderId}`) === true);
  return isFromSender ? "private" : "unknown";
}
