/**
 * The port by which outputs that are too long for a result are kept: written
 * by the main isolate into the session's folder, read back as `artifact://N`.
 * The engine implements it; the worker reaches it by messages.
 */

/** An output while it is being written. */
export interface ArtifactWriter {
  /** The N of `artifact://N`. */
  readonly id: number;
  /** Where the text can be read by the user. */
  readonly path: string;
  /** Appends; resolves when the bytes were taken. The buffer belongs to the artifact from then on. */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Full outputs of the session; `create` rejects where one cannot be kept. */
export interface Artifacts {
  create(callId: string): Promise<ArtifactWriter>;
  /** At most `length` bytes from `offset`, fewer at the end; undefined where there is no such artifact. `local/NAME`: what was handed over. */
  read(id: number | string, offset: number, length: number): Promise<Uint8Array | undefined>;
}
