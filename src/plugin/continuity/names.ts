/** OpenClaw has a tool create_goal of its own since 2026.6, and more of them may come. */
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
];

/**
 * The tools as OpenClaw has them; openclaw.plugin.json lists them too, or later releases take none. Known without
 * loading what they do.
 */
export const TOOL_NAMES: readonly string[] = NAMES.map((name) => TOOL_PREFIX + name);
