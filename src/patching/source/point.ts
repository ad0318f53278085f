/** The type of a patch point: one object with its place, its line, its proof and its state upstream. */
import type { Chunk, Insertion } from "./insertion.ts";

/** One kind of place in OpenClaw that calls the guard, and all that is said of it anywhere. */
export interface PatchPoint {
  /** The id of the point in marks, reports and UPSTREAM.md. */
  readonly id: string;
  /** What the point prevents, in words for an operator; points that prevent one thing have the same words. */
  readonly prevents: string;
  /** Subject of the commit of a checkout's series that has its line; points with the same subject are one commit. */
  readonly commit: string;
  /** What breaks without it. */
  readonly why: string;
  /** The code by which it is found, for the maintainer who adapts it to a release. */
  readonly dependsOn: string;
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
  /**
   * Corpus case that bricks a session, or loses its content, without this point and passes with it; or the path of a
   * test that fails without it.
   */
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
  /** The condition under which the patch point can be removed. */
  readonly dropWhen: string;
}
