import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { PATCH_SET } from "../../src/patching/points/index.ts";
import { beginPoint } from "./begin.ts";

const POINTS = join(import.meta.dirname, "../../src/patching/points");

it("a new patch point is in the list, with a raised patch set, and no file is replaced by it", () => {
  const folder = newFolder();
  cpSync(POINTS, folder, { recursive: true });
  expect(beginPoint("message-sent", folder)).toHaveLength(6);
  const list = readFileSync(join(folder, "index.ts"), "utf8");
  expect(list).toContain('import { messageSent } from "./message-sent.ts";');
  expect(list).toMatch(/ = \[[^\]]*\n {2}messageSent,\n\];/);
  expect(list).toContain(`PATCH_SET = "${Number(PATCH_SET) + 1}"`);
  expect(readFileSync(join(folder, "message-sent.ts"), "utf8")).toContain("export const messageSent: PatchPoint = {");
  for (const id of ["message-sent", "session-load", "../x", "Message", ""])
    expect(() => beginPoint(id, folder)).toThrow(/^expected an id/);
});
