import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { withdrawArchive, writeManifest } from "./manifest.ts";

test("the archive of a change that failed is removed, unless something may have been changed", () => {
  const state = newFolder();
  const written = (): string => writeManifest(state, { sessionId: "one", leafEntryId: "a", messages: 0, sha256: "b" });
  const [failed, unknown, changed] = [written(), written(), written()];
  withdrawArchive(failed, () => true);
  withdrawArchive(unknown, () => {
    throw new Error("the session cannot be opened");
  });
  withdrawArchive(changed, () => false);
  expect([failed, unknown, changed].map((path) => existsSync(path))).toEqual([false, true, true]);
});
