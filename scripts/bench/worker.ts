import { APIS } from "../../harness/arbitrary/bodies.ts";
import { measureApi, measureHistory } from "./calls.ts";

const [, , task, ...words] = process.argv;
const sizes = words.length > 0 ? words.map(Number) : undefined;
const api = APIS.find((one) => one === task);
if (task !== "history" && api === undefined) throw new Error(`Unknown task ${task ?? "(none)"}`);
process.send?.(api === undefined ? measureHistory(sizes) : measureApi(api, sizes), () => process.disconnect());
