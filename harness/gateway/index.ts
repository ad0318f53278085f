/** Starts the real gateway of an installed OpenClaw and talks to it as its clients do. */
export { openGateway } from "./gateway.ts";
export type { Gateway, GatewayOptions, SendOptions } from "./gateway.ts";
export { GatewayProcess } from "./process.ts";
export type { GatewayCommand, RunningGateway, Usage } from "./process.ts";
export type { GatewayEvent } from "./client.ts";
export type { Reply } from "./reply.ts";
