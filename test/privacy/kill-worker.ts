/** A purge that is killed at one of its steps: `kill-worker.ts <state directory> <session> <step>`. */
import { continuityFile } from "../../src/continuity-tools/index.ts";
import { namesAt, purge, findSubject, type PurgePlace } from "../../src/privacy/index.ts";
import { openCatalog } from "../../src/store/index.ts";

const [stateDirectory = "", session = "", step = ""] = process.argv.slice(2);
const place: PurgePlace = {
  stateDirectory,
  rewrite: true,
  work: [{ tables: { file: continuityFile(stateDirectory) }, toProject: (key) => key }],
};
const names = await namesAt(place, openCatalog(stateDirectory));
await purge(place, findSubject(session, names)!, names, {
  reached: (at) => {
    if (at === step) process.kill(process.pid, "SIGKILL");
  },
});
