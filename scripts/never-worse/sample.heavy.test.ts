import { neverWorse } from "./sample.ts";

neverWorse("2026.9.6");
