import { it } from "vitest";
import { killedAtStart } from "./killed-at-start.ts";

it("OpenClaw 2026.9.6, killed as soon as a command has started, tells the model of it", () =>
  killedAtStart("2026.9.6"));
