import { summaryNotMade } from "./summary-cases.ts";

summaryNotMade("2026.2.3");
