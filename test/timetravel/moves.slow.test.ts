import { allMoves } from "./all-moves.ts";

// What 2026.9.6 does in its own way: rows.slow.test.ts; the rest of it: moves.heavy.test.ts.
allMoves("2026.2.3");
