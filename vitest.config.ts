import { defineConfig } from "vitest/config";
import { calibrate, patience } from "./harness/patience.ts";

// Before any worker starts, so that all of them have the same limits.
calibrate();

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "harness/**/*.test.ts", "scripts/**/*.test.ts"],
    globalSetup: ["test/setup.ts"],
    testTimeout: patience(180_000),
    hookTimeout: patience(300_000),
    expect: { poll: { timeout: patience(1000) } },
    // Two cores: more workers would only make the real OpenClaw runs fight each other.
    maxWorkers: 2,
  },
});
