import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { Continuity } from "../continuity.ts";
import { openSqliteStore } from "../sql/sqlite.ts";
import { PRODUCER_VERSION } from "./version.ts";

it("events say the version of the package that wrote them", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  expect(PRODUCER_VERSION).toBe(version);
  const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
  const project = await continuity.project("p");
  await project.createGoal({ text: "g" });
  for await (const event of project.history()) expect(event.producer_version).toBe(version);
  await continuity.close();
});
