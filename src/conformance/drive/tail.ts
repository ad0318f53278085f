/** The answer of an agent comes last: what it has said before may be of any size. */
const KEPT_BYTES = 1_000_000;

/** Keeps the end of an output. */
export class Tail {
  private readonly most: number;
  private chunks: Buffer[] = [];
  private size = 0;

  constructor(most = KEPT_BYTES) {
    this.most = most;
  }

  add(chunk: Uint8Array): void {
    this.chunks.push(Buffer.from(chunk));
    this.size += chunk.length;
    if (this.size > 2 * this.most) this.cut();
  }

  get text(): string {
    this.cut();
    return this.chunks[0]?.toString() ?? "";
  }

  private cut(): void {
    const kept = Buffer.concat(this.chunks).subarray(-this.most);
    this.chunks = [Buffer.from(kept)];
    this.size = kept.length;
  }
}
