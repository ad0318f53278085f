/** The operations of the continuity kernel as tools for a model, offered by the MCP server and the OpenClaw plugin. */
export { continuityFile, continuitySchema, isOpenClawsName, STORE_NAMES, type StoreName } from "./file.ts";
export { LeaseKeeper, type LeaseKeeperOptions } from "./lease-keeper.ts";
export { isGone, processOwner } from "../continuity/index.ts";
export { stepTools } from "./step-tools.ts";
export type { ContinuityTool } from "./tool.ts";
export { continuityTools, workTools } from "./tools.ts";
