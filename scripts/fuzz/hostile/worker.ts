/** Entry of a worker process of `npm run trial fuzz -- --hostile`. */
import { serveJobs } from "../crew.ts";
import { runHostile, type HostileDone, type HostileJob } from "./hostile.ts";
import type { RealStores } from "./stores.ts";

const stores = JSON.parse(process.argv[2]!) as RealStores;
serveJobs<HostileJob, HostileDone>(
  (job) => runHostile(job, stores),
  (_job, error) => ({ counts: {}, failure: `the worker failed: ${String(error)}` }),
);
