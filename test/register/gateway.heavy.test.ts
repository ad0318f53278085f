import { registered } from "./gateway-cases.ts";

registered("2026.9.6");
