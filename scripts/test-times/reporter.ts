/** `npm run test:times`: a reporter of vitest that writes results/test-times.md. */
import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import type { Reporter, TestModule } from "vitest/node";
import { calibrate } from "../../harness/patience.ts";
import { pageOf, type FileTime } from "./times.ts";

const PAGE = fileURLToPath(new URL("../../results/test-times.md", import.meta.url));

export default class TestTimes implements Reporter {
  #began = 0;
  #load = 0;

  onTestRunStart(): void {
    this.#began = performance.now();
    this.#load = loadavg()[0] ?? 0;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const page = pageOf(modules.map(timeOf), {
      day: new Date().toISOString().slice(0, 10),
      node: process.version,
      cores: availableParallelism(),
      load: [this.#load, loadavg()[0] ?? 0],
      patience: calibrate(),
      wallMs: performance.now() - this.#began,
    });
    writeFileSync(PAGE, page);
    console.log("wrote results/test-times.md");
  }
}

function timeOf(module: TestModule): FileTime {
  const states = [...module.children.allTests()].map((test) => test.result().state);
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return {
    file: module.relativeModuleId,
    tests: states.length,
    skipped: states.filter((state) => state === "skipped").length,
    failed: states.filter((state) => state === "failed").length,
    ms: duration + collectDuration + setupDuration,
  };
}
