import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { ConfigDraft } from "./config-file.ts";
import { explainStep } from "./meaning.ts";
import { gatewayLine } from "./next.ts";
import { reportedOn } from "./reported.ts";
import { changeConfig } from "./steps.ts";

function makeDraft(config: object): ConfigDraft {
  const file = join(newFolder(), "openclaw.json");
  writeFileSync(file, JSON.stringify(config));
  return new ConfigDraft(file);
}

test("only a gateway that restarts for a plugin is said to abort answers", () => {
  expect(gatewayLine(makeDraft({}), { reloadsPlugins: true })).not.toContain("abort");
  expect(gatewayLine(makeDraft({}), { reloadsPlugins: false })).toContain("aborts running answers");
  const off = makeDraft({ gateway: { reload: { mode: "off" } } });
  expect(gatewayLine(off, { reloadsPlugins: true })).toBe('  restart the gateway (gateway.reload.mode is "off")');
});

test("every key that an installation changes is explained where consent is asked for", () => {
  const all = {
    continuity: true,
    timeTravel: true,
    files: true,
    keepPatched: true,
    grantsConversations: true,
    enables: true,
  };
  const draft = makeDraft({ plugins: { allow: ["other"], load: { paths: ["/before"] } } });
  const { steps } = changeConfig(draft, { folder: "/there", formerly: "/before", ...all });
  expect(steps).toHaveLength(9);
  expect(steps.filter((step) => explainStep(step) === undefined)).toEqual([]);
});

test("what OpenClaw says of the origin of a plugin from a folder is expected; what else it says is a warning", () => {
  const report = { isLoaded: true, status: "loaded", folder: "/there", diagnostics: ["origin"], isUnrecorded: true };
  expect(reportedOn(report, makeDraft({}))).toEqual({ lines: [expect.stringContaining("expected")], warnings: [] });
  const others: readonly Parameters<typeof reportedOn>[] = [
    [report, makeDraft({ plugins: { allow: ["clawos-l0"] } })],
    [{ ...report, isUnrecorded: false }, makeDraft({})],
    [{ ...report, isLoaded: false }, makeDraft({})],
    [{ ...report, diagnostics: ["origin", "another"] }, makeDraft({})],
  ];
  for (const [one, draft] of others)
    expect(reportedOn(one, draft)).toMatchObject({ lines: [], warnings: { length: one.diagnostics.length } });
});
