/**
 * What a patch point is: one object says where it hangs, what it inserts, what proves it and where it stands upstream.
 */
import type { Chunk, Insertion } from "./insertion.ts";

/** One place in OpenClaw that calls our file. Adding one is adding such an object to points.ts, and a corpus case. */
export interface PatchPoint {
  /** Its name in marks, reports and UPSTREAM.md. */
  readonly id: string;
  /** What breaks without it. */
  readonly why: string;
  /** What it is found by, for the person who has to adapt it to a release. */
  readonly hangsOn: string;
  /** What the inserted line does. */
  readonly inserts: string;
  /** Calls in OpenClaw's text; a chunk without any of them is not parsed. */
  readonly needles: readonly string[];
  /** How often a release may have it; for a release in releases/releases.json the number there is the only one. */
  readonly copies: { readonly min: number; readonly max: number };
  /** Whether an OpenClaw without it must not be patched at all. What is not essential is left out, and reported. */
  readonly essential: boolean;
  /** Finds it in a parsed chunk. Throws a Mismatch where its surroundings are not what it needs. */
  readonly locate: (chunk: Chunk) => readonly Insertion[];
  /** Corpus case that bricks a session, or loses its content, without this point and passes with it. */
  readonly proof: string;
  /** Debian's DEP-3 fields, for UPSTREAM.md. */
  readonly provenance: Provenance;
}

/** Where a patch comes from and where it stands upstream; the fields are those of DEP-3. */
export interface Provenance {
  readonly origin: "vendor";
  /** Reports of the fault in OpenClaw's tracker, `openclaw#4650`; other evidence in words. */
  readonly bugs: readonly string[];
  /** `no`, `not-needed`, or where it was proposed. */
  readonly forwarded: string;
  /** Release or change that made it unnecessary in part or as a whole, if there is one. */
  readonly appliedUpstream?: string;
  /** ISO date. */
  readonly lastUpdate: string;
  /** When it can go. */
  readonly dropWhen: string;
}
