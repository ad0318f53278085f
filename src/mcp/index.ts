/** The continuity kernel as an MCP server (Model Context Protocol), for any agent. */
export { metricsText } from "./metrics.ts";
export { continuityServer, type ServerOptions } from "./server.ts";
export { serveStdio } from "./stdio.ts";
