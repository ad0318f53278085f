import { createHash, generateKeyPairSync, sign } from "node:crypto";

// As OpenClaw's own command line names itself; both generations know it.
const CLIENT = { id: "cli", version: "1.0.0", platform: "linux", mode: "cli" };
const ROLE = "operator";
const SCOPES: readonly string[] = ["operator.read", "operator.write"];
// From the first generation of the gateway to the present one; the gateway chooses.
const PROTOCOL = { minProtocol: 3, maxProtocol: 4 };

/** What the gateway opens every connection with. */
export interface Challenge {
  nonce: string;
  ts: number;
}

/** A client with a key of its own, which a gateway on the same machine pairs by itself. */
export class Device {
  readonly #keys = generateKeyPairSync("ed25519");
  readonly #scopes: readonly string[];

  /** What the client may do: read and write, unless it is told otherwise. */
  constructor(scopes = SCOPES) {
    this.#scopes = scopes;
  }

  /**
   * The parameters of `connect` that answer a challenge: the token of the gateway and a signature over the challenge.
   */
  connectParams(challenge: Challenge, token: string): object {
    // The last 32 bytes of the DER form are the key itself.
    const raw = this.#keys.publicKey.export({ type: "spki", format: "der" }).subarray(-32);
    const id = createHash("sha256").update(raw).digest("hex");
    const signed = [
      "v2",
      id,
      CLIENT.id,
      CLIENT.mode,
      ROLE,
      this.#scopes.join(","),
      String(challenge.ts),
      token,
      challenge.nonce,
    ].join("|");
    const signature = sign(null, Buffer.from(signed), this.#keys.privateKey).toString("base64url");
    return {
      ...PROTOCOL,
      client: CLIENT,
      role: ROLE,
      scopes: this.#scopes,
      caps: ["tool-events"],
      auth: { token },
      device: { id, publicKey: raw.toString("base64url"), signature, signedAt: challenge.ts, nonce: challenge.nonce },
    };
  }
}
