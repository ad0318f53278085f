import { join } from "node:path";
import { readCache, writeCache } from "../../src/register/cache.ts";
import { manyFiles } from "./many-files.ts";

const [disk = "", root = "", key = ""] = process.argv.slice(2);
const entry = { root, hook: "a" };
const folder = join(disk, "register");
const warning = writeCache(folder, entry, key, manyFiles(root));
process.stdout.write(JSON.stringify({ warning, after: readCache(folder, entry, key) }));
