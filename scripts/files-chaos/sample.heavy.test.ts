import { killsInMoves } from "./sample.ts";

killsInMoves("2026.9.6");
