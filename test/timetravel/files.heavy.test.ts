import { it } from "vitest";
import { withoutGit } from "./without-git.ts";

it("without git OpenClaw 2026.9.6 goes on, the agent is told, and moves go on without files", () =>
  withoutGit("2026.9.6"));
