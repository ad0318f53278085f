import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "harness/**/*.test.ts", "scripts/**/*.test.ts"],
    globalSetup: ["test/setup.ts"],
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // Two cores: more workers would only make the real OpenClaw runs fight each other.
    maxWorkers: 2,
  },
});
