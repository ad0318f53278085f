/** OpenClaw has a tool `create_goal` of its own since 2026.6.11, and may get others of these names. */
export const TOOL_PREFIX = "continuity_";

const NAMES = [
  "create_goal",
  "set_goal_status",
  "add_task",
  "start_task",
  "pause_task",
  "block_task",
  "complete_task",
  "update_checkpoint",
  "get_next_step",
  "get_active_work",
  "begin_step",
  "complete_step",
  "fail_step",
  "resolve_step",
];

/**
 * Names of the tools in OpenClaw. openclaw.plugin.json lists them too; later releases register no tool that is missing
 * there. Kept apart from the tools, so that the names are known without loading the kernel.
 */
export const TOOL_NAMES: readonly string[] = NAMES.map((name) => TOOL_PREFIX + name);
