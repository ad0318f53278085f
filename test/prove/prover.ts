/** A process that proves the OpenClaw in its first argument; tests kill it. */
import { prove } from "../../src/prove/index.ts";

const report = await prove(process.argv[2]!);
process.send?.(report);
