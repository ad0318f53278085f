import { killsInMoves } from "./sample.ts";

// 2026.9.6 takes a minute: sample.heavy.test.ts.
killsInMoves("2026.2.3");
