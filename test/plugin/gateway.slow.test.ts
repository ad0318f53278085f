import { pluginAlone } from "./gateway-cases.ts";

pluginAlone({ release: "2026.2.3", hasChannel: true });
// Each letter starts OpenClaw's command line, here for ten seconds: gateway.heavy.test.ts.
pluginAlone({ release: "2026.9.6", hasChannel: false });
