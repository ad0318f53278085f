// A channel as a user could have it: what is sent to a target is a line in a file, and what people say to it comes in
// by a method of the gateway.
import { appendFileSync } from "node:fs";

const account = { accountId: "default", enabled: true, configured: true };
const readList = (cfg, name) => (cfg.channels?.letterbox?.[name] ?? []).map(String);

const plugin = {
  id: "letterbox",
  meta: {
    id: "letterbox",
    label: "Letterbox",
    selectionLabel: "Letterbox",
    docsPath: "/channels/letterbox",
    blurb: "writes what is sent into a file",
    aliases: [],
  },
  capabilities: { chatTypes: ["direct", "group"] },
  config: {
    listAccountIds: () => ["default"],
    resolveAccount: () => account,
    isConfigured: () => true,
    defaultAccountId: () => "default",
    describeAccount: () => account,
    resolveAllowFrom: ({ cfg }) => readList(cfg, "allowFrom"),
    formatAllowFrom: ({ allowFrom }) =>
      allowFrom
        .map((entry) =>
          String(entry)
            .trim()
            .replace(/^letterbox:/i, "")
            .toLowerCase(),
        )
        .filter((entry) => entry !== ""),
  },
  // Without it OpenClaw takes the channel for stopped, and `openclaw update` waits for it for ever.
  gateway: {
    startAccount: ({ abortSignal }) =>
      new Promise((resolve) => {
        if (abortSignal.aborted) resolve();
        else abortSignal.addEventListener("abort", () => resolve(), { once: true });
      }),
  },
  messaging: { normalizeTarget: (target) => target, targetResolver: { looksLikeId: () => true, hint: "any text" } },
  outbound: {
    deliveryMode: "direct",
    resolveTarget: ({ to }) => ({ ok: true, to }),
    // OpenClaw 2026.2.3 takes no channel without it.
    sendMedia: ({ to, text }) => plugin.outbound.sendText({ to, text }),
    async sendText({ to, text }) {
      appendFileSync(process.env.LETTERBOX, `${JSON.stringify({ to, text })}\n`);
      return { channel: "letterbox", messageId: "1" };
    },
  },
};

/**
 * Hands a message to OpenClaw as its own channels do, by the reply dispatcher of the plugin API, and gives what is
 * answered. Whether the sender may command is decided as they decide it: by the channel's lists of people, in
 * OpenClaw's own function.
 */
async function receive(api, { senderId, group, text, sessionKey }) {
  const { channel, config } = api.runtime;
  const cfg = config.current?.() ?? config.loadConfig();
  const lists = group === undefined ? ["allowFrom"] : ["allowFrom", "groupAllowFrom"];
  const authorizers = lists
    .map((name) => readList(cfg, name))
    .map((list) => ({ configured: list.length > 0, allowed: list.includes("*") || list.includes(senderId) }));
  const place = group === undefined ? `letterbox:${senderId}` : `letterbox:group:${group}`;
  const context = {
    Body: text,
    RawBody: text,
    CommandBody: text,
    BodyForAgent: text,
    BodyForCommands: text,
    From: place,
    To: place,
    OriginatingTo: place,
    SessionKey: sessionKey,
    AccountId: "default",
    ChatType: group === undefined ? "direct" : "group",
    // A name is what a person chooses: nobody becomes the owner by it.
    SenderId: senderId,
    SenderName: "owner-1",
    SenderUsername: "owner-1",
    Provider: "letterbox",
    Surface: "letterbox",
    OriginatingChannel: "letterbox",
    MessageSid: `${Date.now()}-${Math.random()}`,
    Timestamp: Date.now(),
    CommandAuthorized: channel.commands.resolveCommandAuthorizedFromAuthorizers({
      useAccessGroups: cfg.commands?.useAccessGroups !== false,
      authorizers,
    }),
  };
  const said = [];
  await channel.reply.dispatchReplyWithBufferedBlockDispatcher({
    ctx: channel.reply.finalizeInboundContext(context),
    cfg,
    dispatcherOptions: {
      deliver: async (payload) => void said.push(payload.text ?? ""),
      onError: (error) => void said.push(`error: ${error}`),
    },
  });
  return said.join("\n");
}

export default {
  id: "letterbox",
  name: "letterbox",
  register(api) {
    api.registerChannel({ plugin });
    api.registerGatewayMethod("letterbox.receive", async ({ params, respond }) => {
      try {
        respond(true, { text: await receive(api, params) });
      } catch (error) {
        respond(false, undefined, { code: "UNAVAILABLE", message: String(error?.stack ?? error) });
      }
    });
  },
};
