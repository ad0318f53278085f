import { afterAll, describe } from "vitest";
import { checkpointCases } from "./cases/checkpoints.ts";
import { integrationCases } from "./cases/integration.ts";
import { recoveryCases } from "./cases/recovery.ts";
import { Scene } from "./cases/scene.ts";
import { toolCycleCases } from "./cases/tool-cycles.ts";
import { validationCases } from "./cases/validation.ts";
import type { SessionKind } from "./kind.ts";

/** The 18 specified cases of commit, rollback, filter and crash, under their numbers, for one kind of session. */
export function specificationCases(kind: SessionKind): void {
  describe(`specification on ${kind.name}`, () => {
    const scene = new Scene(kind);
    afterAll(() => kind.close?.());
    for (const cases of [validationCases, checkpointCases, toolCycleCases, recoveryCases, integrationCases])
      cases(kind, scene);
  });
}
