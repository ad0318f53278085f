import { APIS } from "../../harness/arbitrary/bodies.ts";
import { measureApi, measureHistory } from "./calls.ts";

const task = process.argv[2];
const api = APIS.find((one) => one === task);
if (task !== "history" && api === undefined) throw new Error(`Unknown task ${task ?? "(none)"}`);
process.send?.(api === undefined ? measureHistory() : measureApi(api), () => process.disconnect());
