import { TOOL_PREFIX } from "../../continuity-tools/project-name.ts";

const NAMES = ["get_work", "create_goal", "add_task", "update_task", "set_goal_status", "step"];

/**
 * Names of the tools in OpenClaw. openclaw.plugin.json lists them too; later releases register no tool that is missing
 * there. Kept apart from the tools, so that the names are known without loading the kernel.
 */
export const TOOL_NAMES: readonly string[] = NAMES.map((name) => TOOL_PREFIX + name);
