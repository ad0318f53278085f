import { gateways } from "./gateway-cases.ts";

gateways("2026.9.6");
