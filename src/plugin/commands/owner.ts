/**
 * Whether the sender of a command is the owner of this OpenClaw. What it says of that differs from release to release:
 *
 * | | a sender on a channel | a client of the gateway |
 * |-|-|-|
 * | to 2026.2.2 | nothing, and no owner can be configured | nothing: each client may |
 * | 2026.2.3 to 2026.3.13 | nothing: whoever is on an allowlist may command | nothing: each client may |
 * | 2026.3.24 to 2026.5.2 | nothing | its scopes |
 * | 2026.5.5 to 2026.7 | `senderIsOwner`, too often (see its comment) | its scopes |
 * | 2026.8.1 to 2026.9.3 | `senderIsOwner`, for who is in `commands.ownerAllowFrom` by name | its scopes |
 * | 2026.9.6 | the same, for operators whose profile is linked to the sender too | its scopes |
 *
 * So `senderIsOwner` alone is believed where it denies, and where it comes with `assertOwnerCurrent`; everywhere else
 * `commands.ownerAllowFrom` has to name the sender too, read as OpenClaw reads it. A name that a person can choose is
 * never compared: ids only.
 */
import { knowsOwners } from "../../patching/find/knows-owners.ts";
import type { CommandContext } from "../api.ts";
import { GATEWAY_CHANNEL, isConversation, type Audience } from "./audience.ts";

/** Clients of the gateway need it. */
export const OPERATOR = "operator.admin";

const OWNERS = "commands.ownerAllowFrom";
const FOR_THE_OWNER = "This command is for the owner of this OpenClaw";
const NOT_TOLD = "this release does not tell a plugin what a client of the gateway may do";
const COMMAND_LINE = "Whoever administers the gateway's machine can run `npx openclaw-integrity` there instead.";

/** Why the sender may not command, in sentences; undefined for the owner. `release` is that of OpenClaw. */
export function refusalOf(context: CommandContext, audience: Audience, release: string): string | undefined {
  const { channel, senderId = "", senderIsOwner } = context;
  if (!context.isAuthorizedSender) return `${FOR_THE_OWNER}.`;
  if (context.gatewayClientScopes !== undefined) {
    const isOperator = context.gatewayClientScopes.includes(OPERATOR);
    return isOperator ? undefined : `This command is for operators of the gateway: clients with the scope ${OPERATOR}.`;
  }
  if (channel === GATEWAY_CHANNEL) {
    return `${FOR_THE_OWNER}, and ${NOT_TOLD}. Send it as the owner from a chat channel. ${COMMAND_LINE}`;
  }
  if (senderIsOwner === true && context.assertOwnerCurrent !== undefined) return undefined;
  const owners = ownersIn(context);
  if (senderIsOwner !== false && owners.some((owner) => isNamed(owner, channel, senderId))) return undefined;
  if (!knowsOwners(release))
    return `${FOR_THE_OWNER}, and OpenClaw ${release} cannot be told who that is. ${COMMAND_LINE}`;
  return howToBecomeOne(owners.length > 0, entryFor(channel, senderId, audience));
}

/**
 * The ids of `commands.ownerAllowFrom`. "*" is none: it lets everybody command and says of nobody that he is the
 * owner.
 */
function ownersIn({ config }: CommandContext): readonly string[] {
  const listed = config?.commands?.ownerAllowFrom;
  return Array.isArray(listed)
    ? listed.map((entry) => String(entry ?? "").trim()).filter((entry) => entry !== "" && !entry.includes("*"))
    : [];
}

/** Whether an entry, `telegram:123` or `123`, is this sender. */
function isNamed(entry: string, channel: string, senderId: string): boolean {
  // To 2026.2.3 a sender without an id counts under that of the chat.
  if (isConversation(senderId)) return false;
  const [named, prefix] = /^([a-z][a-z0-9_-]*):/i.exec(entry) ?? [""];
  if (prefix !== undefined && prefix.toLowerCase() !== channel.toLowerCase()) return false;
  // Only what the operator wrote is taken apart: on some channels people choose their ids.
  const sender = plainId(senderId);
  return sender !== "" && plainId(entry.slice(named.length)) === sender;
}

/** An id in the case and, for a telephone number, in the form that OpenClaw compares. */
function plainId(id: string): string {
  const text = id.trim().toLowerCase();
  return text.startsWith("+") ? text.replace(/[\s().-]/g, "") : text;
}

/**
 * What names the sender in `commands.ownerAllowFrom`; undefined where it is not known, or where others would learn a
 * telephone number from it.
 */
function entryFor(channel: string, senderId: string, audience: Audience): string | undefined {
  const isSecret = audience === "group" || (audience === "unknown" && senderId.startsWith("+"));
  const id = plainId(senderId);
  return isSecret || isConversation(senderId) || !/^[\w+@.:!-]{1,100}$/.test(id) ? undefined : `${channel}:${id}`;
}

function howToBecomeOne(hasOwners: boolean, entry: string | undefined): string {
  const named = `"${entry ?? "<channel>:<your id there>"}"`;
  const how = hasOwners
    ? `${OWNERS} in openclaw.json does not name you. If you are the owner, add ${named} to that list`
    : `nobody is configured as that. If you are, say so on its machine: openclaw config set ${OWNERS} '[${named}]'`;
  const then = "Then restart the gateway (openclaw gateway restart), unless it does so by itself.";
  return `${FOR_THE_OWNER}, and ${how}. ${then}`;
}
