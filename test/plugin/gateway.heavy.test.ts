import { pluginAlone } from "./gateway-cases.ts";

pluginAlone({ release: "2026.9.6", hasChannel: true });
