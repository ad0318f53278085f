import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startPostgres, whyNoPostgres } from "../../harness/postgres.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/durable-steps.ts");
const skip = whyNoPostgres();

// It imports the package by its name: what is tested is what was built.
it.skipIf(skip)(
  `examples/durable-steps.ts does nothing again the second time${skip === undefined ? "" : `: ${skip}`}`,
  async () => {
    const server = await startPostgres();
    try {
      const env = { ...process.env, DATABASE: server.url };
      const run = async (): Promise<string> => (await promisify(execFile)(process.execPath, [EXAMPLE], { env })).stdout;
      expect(await run()).toMatch(/'mail mail-ada to ada', executed: true[^]*mail-bob to bob[^]*mail-cleo to cleo/);
      const again = await run();
      expect(again).toContain("mail mail-ada to ada");
      expect(again.match(/executed: false/g)).toHaveLength(3);
    } finally {
      await server.stop();
    }
  },
);
