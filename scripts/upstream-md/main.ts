/**
 * `npm run generate upstream-md`: writes UPSTREAM.md from the patch points, the recorded releases and the folders of upstream/.
 * `npm run generate upstream-md -- --check`: fails when the file is not what they give now.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PATCH_POINTS } from "../../src/patching/points/index.ts";
import { knownReleases } from "../../src/patching/base/releases.ts";
import { readPullRequest, listSeries } from "../upstream/pull-request.ts";
import { upstreamText } from "../upstream/upstream-text.ts";

const path = fileURLToPath(new URL("../../UPSTREAM.md", import.meta.url));
const series = fileURLToPath(new URL("../../upstream", import.meta.url));
const pulls = listSeries(series).map((name) => readPullRequest(series, name));
const text = upstreamText(PATCH_POINTS, knownReleases(), pulls);
if (!process.argv.includes("--check")) writeFileSync(path, text);
else if (readFileSync(path, "utf8") !== text) {
  console.error("UPSTREAM.md is not what the patch points and upstream/ give. Run: npm run generate upstream-md");
  process.exitCode = 1;
}
