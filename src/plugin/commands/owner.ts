/**
 * Decides whether the sender of a command is the owner of this OpenClaw. What OpenClaw reports differs between
 * releases:
 *
 * | | a sender on a channel | a client of the gateway |
 * |-|-|-|
 * | to 2026.2.2 | nothing, and no owner can be configured | nothing: every client may command |
 * | 2026.2.3 to 2026.3.13 | nothing: whoever is on an allowlist may command | nothing: every client may command |
 * | 2026.3.24 to 2026.5.2 | nothing | its scopes |
 * | 2026.5.5 to 2026.7 | `senderIsOwner`, true too often (see its comment) | its scopes |
 * | 2026.8.1 to 2026.9.3 | `senderIsOwner`, for who is in `commands.ownerAllowFrom` by name | its scopes |
 * | 2026.9.6 | the same, for operators whose profile is linked to the sender too | its scopes |
 *
 * Therefore `senderIsOwner` alone is trusted where it is false, and where `assertOwnerCurrent` is set too. Otherwise
 * `commands.ownerAllowFrom` must name the sender as well, compared as OpenClaw compares. Only ids are compared, never a
 * name that a person can choose.
 */
import { acceptsOwnerAllowFrom } from "../../store/openclaw/release.ts";
import type { CommandContext } from "../api.ts";
import { GATEWAY_CHANNEL, isConversation, type Audience } from "./audience.ts";

/** The scope that clients of the gateway need. */
export const OPERATOR = "operator.admin";

const OWNERS = "commands.ownerAllowFrom";
const FOR_THE_OWNER = "This command is for the owner of this OpenClaw";
const SCOPES_UNKNOWN = "this release does not report to a plugin what a client of the gateway may do";
const COMMAND_LINE = "Whoever administers the gateway's machine can run `npx openclaw-integrity` there instead.";

/** Returns in sentences why the sender may not use the command; undefined for the owner. `release` is OpenClaw's. */
export function refuseSender(context: CommandContext, audience: Audience, release: string): string | undefined {
  const { channel, senderId = "", senderIsOwner } = context;
  if (!context.isAuthorizedSender) return `${FOR_THE_OWNER}.`;
  if (context.gatewayClientScopes !== undefined) {
    const isOperator = context.gatewayClientScopes.includes(OPERATOR);
    return isOperator ? undefined : `This command is for operators of the gateway: clients with the scope ${OPERATOR}.`;
  }
  if (channel === GATEWAY_CHANNEL) {
    return `${FOR_THE_OWNER}, and ${SCOPES_UNKNOWN}. Send it as the owner from a chat channel. ${COMMAND_LINE}`;
  }
  if (senderIsOwner === true && context.assertOwnerCurrent !== undefined) return undefined;
  const owners = ownersIn(context);
  if (senderIsOwner !== false && owners.some((owner) => isNamed(owner, channel, senderId))) return undefined;
  if (!acceptsOwnerAllowFrom(release))
    return `${FOR_THE_OWNER}, and OpenClaw ${release} has no setting that names the owner. ${COMMAND_LINE}`;
  return howToBecomeOwner(owners.length > 0, entryFor(channel, senderId, audience));
}

/** Returns the ids of `commands.ownerAllowFrom`. "*" is left out: it lets everybody command and names no owner. */
function ownersIn({ config }: CommandContext): readonly string[] {
  const listed = config?.commands?.ownerAllowFrom;
  return Array.isArray(listed)
    ? listed.map((entry) => String(entry ?? "").trim()).filter((entry) => entry !== "" && !entry.includes("*"))
    : [];
}

/** Returns whether an entry, `telegram:123` or `123`, names this sender. */
function isNamed(entry: string, channel: string, senderId: string): boolean {
  // Up to 2026.2.3, a sender without an id gets the id of the chat.
  if (isConversation(senderId)) return false;
  const [named, prefix] = /^([a-z][a-z0-9_-]*):/i.exec(entry) ?? [""];
  if (prefix !== undefined && prefix.toLowerCase() !== channel.toLowerCase()) return false;
  // Only the operator's entry is split at the prefix: on some channels people choose their ids.
  const sender = plainId(senderId);
  return sender !== "" && plainId(entry.slice(named.length)) === sender;
}

/** Returns an id in the form that OpenClaw compares: lower case, a telephone number without separators. */
function plainId(id: string): string {
  const text = id.trim().toLowerCase();
  return text.startsWith("+") ? text.replace(/[\s().-]/g, "") : text;
}

/**
 * Returns the entry that would name the sender in `commands.ownerAllowFrom`. Undefined where the id is unknown, or
 * where others would learn a telephone number.
 */
function entryFor(channel: string, senderId: string, audience: Audience): string | undefined {
  const isSecret = audience === "group" || (audience === "unknown" && senderId.startsWith("+"));
  const id = plainId(senderId);
  return isSecret || isConversation(senderId) || !/^[\w+@.:!-]{1,100}$/.test(id) ? undefined : `${channel}:${id}`;
}

function howToBecomeOwner(hasOwners: boolean, entry: string | undefined): string {
  const named = `"${entry ?? "<channel>:<your id there>"}"`;
  const how = hasOwners
    ? `${OWNERS} in openclaw.json does not name you. If you are the owner, add ${named} to that list`
    : "no owner is configured. If you are the owner, run on the gateway's machine: " +
      `openclaw config set ${OWNERS} '[${named}]'`;
  const then = "Then restart the gateway (openclaw gateway restart), unless it does so by itself.";
  return `${FOR_THE_OWNER}, and ${how}. ${then}`;
}
