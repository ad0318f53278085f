import { soakSample } from "./sample.ts";

soakSample("2026.9.6");
