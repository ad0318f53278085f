import { claims } from "./claim-cases.ts";

// Several servers on PostgreSQL: processes.slow.test.ts; all of this on it: claims.heavy.test.ts.
claims("SQLite");
