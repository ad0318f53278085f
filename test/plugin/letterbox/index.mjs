// A channel as a user could have it: what is sent to a target is a line in a file.
import { appendFileSync } from "node:fs";

const account = { accountId: "default", enabled: true, configured: true };

const plugin = {
  id: "letterbox",
  meta: { id: "letterbox", label: "Letterbox", selectionLabel: "Letterbox", docsPath: "/channels/letterbox", blurb: "writes what is sent into a file", aliases: [] },
  capabilities: { chatTypes: ["direct"] },
  config: { listAccountIds: () => ["default"], resolveAccount: () => account, isConfigured: () => true, defaultAccountId: () => "default", describeAccount: () => account },
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

export default {
  id: "letterbox",
  name: "letterbox",
  register(api) {
    api.registerChannel({ plugin });
  },
};
