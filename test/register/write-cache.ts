import { writeCache } from "../../src/register/cache.ts";
import { manyFiles } from "./many-files.ts";

const [folder = "", root = "", key = ""] = process.argv.slice(2);
for (let time = 0; time < 20; time += 1) {
  const warning = writeCache(folder, { root, hook: "a" }, key, manyFiles(root));
  if (warning !== undefined) throw new Error(warning);
}
