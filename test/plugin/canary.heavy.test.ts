import { canaries } from "./canary-cases.ts";

canaries("2026.9.6");
