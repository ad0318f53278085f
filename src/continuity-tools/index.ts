/** The operations of the continuity kernel as tools for a model, offered by the MCP server and the OpenClaw plugin. */
export { continuityFile, continuitySchema, isOpenClawsName, STORE_NAMES, type StoreName } from "./file.ts";
export { FORMER_NAMES, formerTools } from "./former-tools.ts";
export { LeaseKeeper, type LeaseKeeperOptions } from "./lease-keeper.ts";
export { isGone, processOwner } from "../continuity/index.ts";
export { stepTool } from "./step-tool.ts";
export type { ContinuityTool } from "./tool.ts";
export { workTools } from "./work-tools.ts";
