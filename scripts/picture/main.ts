/**
 * `npm run generate picture`: the pictures of docs/images, from a recording of `npm start` and the figures of results/. `--
 * --record report.json` takes a new recording out of what `npm start -- --json report.json` has written; `-- --check`
 * writes nothing, and fails when a picture is not what the recording and the figures give.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { IMAGES, pictures, RECORDING, repositoryFile, writePictures } from "./pictures.ts";
import { findRecording } from "./recording.ts";

const RELEASE = "2026.2.3";
const CASE = "q-incident-message-302";

const { values } = parseArgs({ options: { record: { type: "string" }, check: { type: "boolean", default: false } } });
mkdirSync(repositoryFile(IMAGES), { recursive: true });
if (values.record !== undefined) {
  const recording = findRecording(JSON.parse(readFileSync(values.record, "utf8")), RELEASE, CASE);
  writeFileSync(repositoryFile(RECORDING), `${JSON.stringify(recording, null, 2)}\n`);
}
if (!values.check) writePictures();
for (const [file, content] of Object.entries(pictures()))
  if (readFileSync(repositoryFile(file), "utf8") !== content) {
    console.error(
      `expected ${file} to be what its recording and results/ give; found another. Run npm run generate picture`,
    );
    process.exitCode = 1;
  }
