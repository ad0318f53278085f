import { killsAtSteps } from "./kill-cases.ts";

killsAtSteps("revert", "the published OpenClaw", 1);
killsAtSteps("apply", "a fork", 1);
killsAtSteps("revert", "a fork", 1);
