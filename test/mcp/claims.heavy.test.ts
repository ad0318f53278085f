import { claims } from "./claim-cases.ts";

claims("PostgreSQL");
