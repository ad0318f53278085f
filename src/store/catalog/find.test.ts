import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { says, user } from "../../../harness/openclaw/samples.ts";
import { toTranscript } from "../../../harness/openclaw/transcript.ts";
import { openCatalog } from "./catalog.ts";
import { findSummary } from "./find.ts";

test("a session is found by every name that reports show, and by the beginning of its id where that is one alone", () => {
  const state = newFolder();
  const folder = join(state, "agents", "main", "sessions");
  mkdirSync(folder, { recursive: true });
  for (const id of ["8f42f82e-aaaa-11f7", "8f42aaaa-bbbb-0000"])
    writeFileSync(join(folder, `${id}.jsonl`), toTranscript([user("go"), says("yes")]));
  writeFileSync(
    join(folder, "sessions.json"),
    JSON.stringify({ "agent:main:telegram:direct:4821": { sessionId: "8f42f82e-aaaa-11f7" } }),
  );
  const catalog = openCatalog(state);
  for (const name of [
    "8f42f82e-aaaa-11f7",
    "agent:main:telegram:direct:4821",
    "telegram:direct:4821",
    "8f42f8",
    "8f42f82e-…11f7",
    "8f42f82e-...11f7",
  ])
    expect(findSummary(catalog, name).sessionId).toBe("8f42f82e-aaaa-11f7");
  expect(() => findSummary(catalog, "8f42")).toThrow(/found .*8f42aaaa-bbbb-0000/);
  for (const name of ["8f4", "…11f7", "direct:4821", "8f42f82e-…0000", ""])
    expect(() => findSummary(catalog, name)).toThrow(expect.objectContaining({ code: "session-missing" }));
});
