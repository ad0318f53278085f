import { it } from "vitest";
import { RELEASES } from "../../harness/openclaw/travelling.ts";
import { killedAtStart } from "./killed-at-start.ts";

// Up to 2026.4.2 OpenClaw begins a call before it stores the answer that asks for it. Of a payment that runs in between,
// the model would know nothing, and would make it again. The other base release: killed-at-start.heavy.test.ts.
it.each(RELEASES.filter((release) => release !== "2026.9.6"))(
  "OpenClaw %s, killed as soon as a command has started, tells the model of it",
  killedAtStart,
);
