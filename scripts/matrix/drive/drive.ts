import { startOpenClaw } from "../../../harness/openclaw/index.ts";
import { startProvider } from "../../../harness/providers/index.ts";
import { QUESTIONS } from "./questions.ts";

/** How well an installed OpenClaw can be driven. */
export interface DriveReport {
  release: string;
  /** How it is driven, in a few words. */
  adapter: string;
  apis: number;
  startMs: number;
  /** Times of turns of a session that is loaded, one per API. */
  turnsMs: number[];
  /** For each question what is wrong; undefined when it holds. */
  findings: Record<string, string | undefined>;
}

// A first turn loads half of OpenClaw; on a busy machine that alone takes a while.
const TURN_TIMEOUT_MS = 120_000;

/**
 * Starts the OpenClaw in `root` (a folder with `node_modules/openclaw`) and asks it every question. Throws when it
 * cannot be started at all.
 */
export async function drive(release: string, root: string): Promise<DriveReport> {
  const provider = await startProvider();
  const started = performance.now();
  try {
    const openclaw = await startOpenClaw({ release, root, providerUrl: provider.url, turnTimeoutMs: TURN_TIMEOUT_MS });
    try {
      const { adapter, apis } = openclaw;
      const report: DriveReport = {
        release,
        adapter,
        apis: apis.length,
        startMs: performance.now() - started,
        turnsMs: [],
        findings: {},
      };
      for (const { name, ask } of QUESTIONS) {
        report.findings[name] = await ask({ openclaw, provider }, (ms) => report.turnsMs.push(ms));
      }
      return report;
    } finally {
      await openclaw.close();
    }
  } finally {
    await provider.close();
  }
}
