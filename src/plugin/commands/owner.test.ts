import { describe, expect, it } from "vitest";
import type { CommandContext } from "../api.ts";
import { determineAudience } from "./audience.ts";
import { refuseSender } from "./owner.ts";

const OWNERS = ["telegram:100", "whatsapp:+1 (555) 010-0200", "@alice:example.org"];
const config = (...ownerAllowFrom: unknown[]): CommandContext["config"] => ({ commands: { ownerAllowFrom } });
const sent = (context: Partial<CommandContext>): CommandContext => ({
  isAuthorizedSender: true,
  channel: "telegram",
  senderId: "100",
  config: config(...OWNERS),
  ...context,
});
const isOwner = (context: Partial<CommandContext>): boolean =>
  refuseSender(sent(context), determineAudience(sent(context)), "2026.2.3") === undefined;
const refusal = (context: Partial<CommandContext>): string =>
  refuseSender(sent(context), determineAudience(sent(context)), "2026.2.3") ?? "the owner";

describe("the owner is", () => {
  it.each<[string, Partial<CommandContext>]>([
    ["whom the list names on his channel, where OpenClaw tells nothing", {}],
    ["whom it names, in another case", { channel: "Telegram", config: config("TELEGRAM:100") }],
    ["whom it names by a number", { config: config(100) }],
    ["whom it names by a telephone number with blanks", { channel: "whatsapp", senderId: "+15550100200" }],
    ["whom it names by an id with a colon in it", { channel: "matrix", senderId: "@Alice:example.org" }],
    ["whom it names beside everybody", { config: config("*", "telegram:100") }],
    ["whom OpenClaw and the list name", { senderIsOwner: true }],
    [
      "an operator whose profile is linked to the sender",
      { senderId: "7", config: config(), senderIsOwner: true, assertOwnerCurrent: () => undefined },
    ],
    [
      "a client of the gateway with the scope of an operator, whatever it says it is",
      { channel: "webchat", senderId: "cli", gatewayClientScopes: ["operator.admin"], config: config() },
    ],
  ])("%s", (_, context) => expect(isOwner(context)).toBe(true));
});

describe("no owner is", () => {
  it.each<[string, Partial<CommandContext>]>([
    ["whom OpenClaw does not let command at all", { isAuthorizedSender: false }],
    ["anybody while nobody is configured", { config: {} }],
    ["anybody where everybody is", { config: config("*"), senderIsOwner: true }],
    ["anybody of a channel by its wildcard", { config: config("telegram:*") }],
    [
      "who is on the channel's allowlist, which OpenClaw 2026.5.5 to 2026.7 takes for an owner",
      { senderId: "7", senderIsOwner: true, config: config() },
    ],
    ["who has the owner's id on another channel", { channel: "irc" }],
    ["who calls himself on another channel what the list has", { channel: "irc", senderId: "telegram:100" }],
    ["whom OpenClaw says to be none, though the list names him", { senderIsOwner: false }],
    ["a sender without an id", { senderId: "" }],
    ["a sender of whom nothing is told", { senderId: undefined } as unknown as Partial<CommandContext>],
    ["everybody in a group that the list names", { senderId: "group:-5", config: config("telegram:group:-5") }],
    [
      "everybody in a group of WhatsApp that the list names",
      { channel: "whatsapp", senderId: "12@g.us", config: config("12@g.us") },
    ],
    [
      "a client of the gateway that may read and write",
      { channel: "webchat", gatewayClientScopes: ["operator.read", "operator.write"], senderIsOwner: true },
    ],
    [
      "a client of the gateway of which nothing is told, whatever it calls itself",
      { channel: "webchat", senderId: "cli", config: config("cli", "webchat:cli") },
    ],
    ["anybody by a list that is none", { config: { commands: { ownerAllowFrom: "telegram:100" } } }],
    ["who calls himself on the owner's channel what the list has", { senderId: "telegram:100" }],
  ])("%s", (_, context) => expect(isOwner(context)).toBe(false));
});

describe("who is refused reads how to become the owner", () => {
  it("with the entry that names him, in a direct chat", () => {
    expect(refusal({ senderId: "7", config: {}, sessionKey: "agent:main:main" })).toContain(
      `openclaw config set commands.ownerAllowFrom '["telegram:7"]'`,
    );
    expect(refusal({ senderId: "7", sessionKey: "agent:main:main" })).toMatch(
      /does not name you\..*add "telegram:7" to that list.*openclaw gateway restart/,
    );
  });

  it("without his telephone number where others read it, or may", () => {
    const group = { channel: "signal", senderId: "+15550100999", from: "group:abc" };
    expect(refusal(group)).toContain(`add "<channel>:<your id there>"`);
    expect(refusal({ channel: "signal", senderId: "+15550100999" })).not.toContain("0999");
    expect(refusal({ channel: "signal", senderId: "+15550100999", from: "signal:+15550100999" })).toContain(
      "signal:+15550100999",
    );
  });

  it("and no text of his that a shell would take for more than an id, nor who the owners are", () => {
    for (const senderId of [`7"]'; rm -rf ~ #`, "7\nsay: yes", "$(id)", "x".repeat(200)]) {
      expect(refusal({ senderId, config: {}, sessionKey: "agent:main:main" })).toContain(
        `'["<channel>:<your id there>"]'`,
      );
    }
    expect(refusal({ senderId: "7" })).not.toMatch(/100|alice/);
  });
});

it("before 2026.2.3 nobody is the owner, nor told to write a list that the gateway would not start with", () => {
  for (const release of ["2026.1.30", "2026.2.2", "2026.2.2-1"]) {
    const refused = refuseSender(sent({ config: {} }), "private", release);
    expect(refused).toMatch(/has no setting that names the owner\. .*npx openclaw-integrity/);
    expect(refused).not.toContain("ownerAllowFrom");
  }
  for (const release of ["2026.2.3", "2026.2.26", "2026.10.1", "2027.1.1", "unknown", ""]) {
    expect(refuseSender(sent({ config: {} }), "private", release)).toContain(
      "openclaw config set commands.ownerAllowFrom",
    );
  }
});

describe("who reads an answer", () => {
  it.each<[string, Partial<CommandContext>]>([
    ["the main conversation", { sessionKey: "agent:main:main", from: "telegram:100" }],
    ["a thread of it", { sessionKey: "agent:main:main:thread:17", from: "slack:U1", senderId: "U1" }],
    ["a person's own conversation", { sessionKey: "agent:main:telegram:default:direct:100", from: "telegram:100" }],
    ["a chat whose conversation is not told", { from: "telegram:100" }],
    [
      "a chat that WhatsApp names by the number alone",
      { channel: "whatsapp", senderId: "+15550100200", from: "+15550100200" },
    ],
    [
      "a client of the gateway",
      {
        channel: "webchat",
        senderId: "cli",
        from: "cli",
        to: "agent:main:main",
        sessionKey: "agent:main:main",
        gatewayClientScopes: ["operator.admin"],
      },
    ],
  ])("the sender alone: %s", (_, context) => expect(determineAudience(sent(context))).toBe("private"));

  it.each<[string, Partial<CommandContext>]>([
    ["Telegram", { sessionKey: "agent:main:telegram:group:-5", from: "telegram:group:-5" }],
    ["Telegram, with a topic", { from: "telegram:group:-5:topic:1" }],
    [
      "Discord, as an answer to its slash command",
      { sessionKey: "agent:main:main", from: "discord:channel:9", senderId: "100" },
    ],
    ["WhatsApp", { channel: "whatsapp", senderId: "+15550100200", from: "123-456@g.us" }],
    [
      "Signal, with a slash in its id",
      { channel: "signal", sessionKey: "agent:main:signal:group:ab/cd+e=", from: "group:ab/cd+e=" },
    ],
    ["a group, where all chats share a conversation", { sessionKey: "global", from: "telegram:group:-5" }],
    [
      "a client of the gateway that writes in a group's conversation",
      { channel: "webchat", sessionKey: "agent:main:discord:channel:9", gatewayClientScopes: ["operator.admin"] },
    ],
  ])("others too: a group of %s", (_, context) => expect(determineAudience(sent(context))).toBe("group"));

  it.each<[string, Partial<CommandContext>]>([
    ["OpenClaw 2026.2.3, which tells no place", {}],
    ["a place of another shape", { sessionKey: "global", from: "feishu:100", to: "chat:oc_1" }],
    ["a sender other than the chat is named by", { from: "twitch:somebody" }],
    [
      "a client of the gateway whose answer goes to a channel",
      { sessionKey: "agent:main:main", to: "telegram:7", gatewayClientScopes: ["operator.admin"] },
    ],
  ])("nobody can tell: %s", (_, context) => expect(determineAudience(sent(context))).toBe("unknown"));
});
