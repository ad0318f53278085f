import type { CommandContext } from "../api.ts";

/** The channel of the gateway's own clients: Control UI, TUI, `chat.send`. */
export const GATEWAY_CHANNEL = "webchat";

/**
 * Who reads the answer to a command: the sender alone (`private`), others too (`group`), or nobody can tell
 * (`unknown`): OpenClaw 2026.2.3 does not say where a command was sent.
 */
export type Audience = "private" | "group" | "unknown";

// As OpenClaw tells a chat of several from a person, with the group and broadcast addresses of WhatsApp.
const CONVERSATION = /(?:^|:)(?:channel|group|room|space|spaces):|^chat_id:|@(?:g\.us|newsletter|broadcast)$/i;
/**
 * `agent:<id>:main`, whatever the main conversation is called, a thread of it, and a person's own:
 * `agent:<id>:telegram:direct:123`.
 */
const ONE_TO_ONE = /^agent:[^:]+:(?:[^:]+(?::thread:[^:]+)?$|(?:.+:)?(?:direct|dm):)/i;

/** Whether an id is that of a chat and not of a person. */
export function isConversation(id: string): boolean {
  return CONVERSATION.test(id.trim());
}

/** Who reads the answer to a command. What is not known to be private is not taken for it. */
export function audienceOf({ channel, gatewayClientScopes, senderId, sessionKey, from, to }: CommandContext): Audience {
  if ([sessionKey, from, to].some((place) => place !== undefined && isConversation(place))) return "group";
  if (channel === GATEWAY_CHANNEL) return "private";
  // A client of the gateway that has its answer delivered on a channel: whoever is there reads it.
  if (gatewayClientScopes !== undefined) return "unknown";
  if (sessionKey !== undefined) return ONE_TO_ONE.test(sessionKey) ? "private" : "unknown";
  const isFromSender =
    senderId !== undefined && senderId !== "" && (from === senderId || from?.endsWith(`:${senderId}`) === true);
  return isFromSender ? "private" : "unknown";
}
