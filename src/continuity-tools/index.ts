/** The operations of the continuity kernel as tools for a model, offered by the MCP server and the OpenClaw plugin. */
export { continuityFile, continuitySchema, isOpenClawsName, STORE_NAMES, type StoreName } from "./file.ts";
export { TOOLS_COST } from "./cost.ts";
export { isGone, LeaseKeeper, type LeaseKeeperOptions, processOwner } from "../continuity/index.ts";
export { stepTool } from "./step-tool.ts";
export type { ContinuityTool } from "./tool.ts";
export { workTools } from "./work-tools.ts";
