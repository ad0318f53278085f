import { join } from "node:path";
import { installedReleases } from "../../harness/openclaw/releases.ts";
import { jsonlKind } from "../store/jsonl-kind.ts";
import { openclawKind } from "../store/openclaw-kind.ts";
import { memoryKind } from "./memory-kind.ts";
import { anyOrder } from "./model.ts";

const RUNS = Number(process.env.PROPERTY_RUNS ?? 8);

anyOrder(memoryKind("anthropic"), RUNS);
anyOrder(memoryKind("openclaw"), RUNS);
anyOrder(jsonlKind("openclaw"), RUNS);
anyOrder(jsonlKind("anthropic"), Math.ceil(RUNS / 4));

// Each operation is a transaction in OpenClaw's own database: a few runs tell as much as the time allows.
const installed = installedReleases().find(({ release }) => release === "2026.9.6");
if (installed) anyOrder(openclawKind(join(installed.root, "node_modules", "openclaw")), Math.ceil(RUNS / 10));
