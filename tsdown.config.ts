import { defineConfig } from "tsdown";

const shared = { format: "esm", platform: "node", outDir: "dist", minify: false, clean: false, hash: false } as const;

export default defineConfig([
  {
    // What goes inside OpenClaw: one file that needs nothing, on the oldest Node a base release runs on.
    ...shared,
    entry: { guard: "src/guard/index.ts" },
    target: "node22.12",
    dts: false,
    outputOptions: { codeSplitting: false },
  },
  { ...shared, entry: { cli: "src/cli/main.ts", patching: "src/patching/index.ts" }, target: "node20", dts: false },
  { ...shared, entry: { transcript: "src/transcript/index.ts", wire: "src/wire/index.ts" }, target: "node20", dts: true },
  // What needs node:sqlite.
  {
    ...shared,
    entry: { integrity: "src/integrity/index.ts", journal: "src/journal/index.ts", observe: "src/observe/index.ts" },
    target: "node22",
    dts: true,
  },
]);
