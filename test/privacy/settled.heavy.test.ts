import { settles } from "./settled-cases.ts";

settles("2026.9.6");
