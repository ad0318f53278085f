import type { MessageFormat, Session } from "../../src/integrity/index.ts";

/** An implementation of Session under test. */
export interface SessionKind {
  name: string;
  format: MessageFormat;
  /** A new session that holds these messages, corrupt or not. */
  open(messages: readonly unknown[]): Promise<Session>;
  /** The same session as after a restart: another object, read from where it is stored. */
  reopen(session: Session): Promise<Session>;
  /** Every message that is stored of the session, on the active path or not. */
  everything(session: Session): Promise<readonly unknown[]>;
  /** The messages of an archive; left out where an archive cannot be read as messages. */
  archived?(archive: string): Promise<readonly unknown[]>;
  /**
   * Changes a stored message as a foreign program would, behind the back of the implementation; left out where that
   * cannot be done.
   */
  tamper?(session: Session, messageIndex: number): Promise<void>;
  /**
   * What is on the disk at this very moment, taken synchronously, as a kill would leave it; opens it as another session
   * object. Left out where such an image cannot be taken; the model test then does without crashes.
   */
  image?(session: Session): () => Promise<Session>;
  close?(): Promise<void>;
}
