import { measureSubject } from "./measure.ts";
import type { Folders } from "./subjects.ts";

const [, , name = "", folders = "{}"] = process.argv;
process.send?.(await measureSubject(name, JSON.parse(folders) as Folders), () => process.exit());
