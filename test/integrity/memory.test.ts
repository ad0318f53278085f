import { specificationCases } from "./cases.ts";
import { memoryKind } from "./memory-kind.ts";

specificationCases(memoryKind("anthropic"));
specificationCases(memoryKind("openclaw"));
