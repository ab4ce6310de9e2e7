import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  maxObjectBytes,
  ObjectTooLargeError,
  type RecordingLocation,
  type RecordingStorage,
} from './recording-storage.ts';

/** How many keys one request may delete. */
const deletedAtOnce = 1000;

/** Keeps recordings in a bucket. Credentials come from where Amazon's tools look for them. */
export class S3Storage implements RecordingStorage {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor({ bucket, prefix, endpoint, region }: Extract<RecordingLocation, { kind: 's3' }>) {
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#client = new S3Client({
      maxAttempts: 3,
      ...(region !== undefined && { region }),
      // Other servers rarely serve buckets as subdomains.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: 3000, requestTimeout: 20_000 },
    });
  }

  async put(key: string, bytes: Buffer, abortSignal: AbortSignal): Promise<void> {
    const command = new PutObjectCommand({ ...this.#at(key), Body: bytes, ContentLength: bytes.length });
    await this.#client.send(command, { abortSignal });
  }

  async get(key: string, abortSignal: AbortSignal): Promise<Buffer | undefined> {
    try {
      const { Body, ContentLength } = await this.#client.send(new GetObjectCommand(this.#at(key)), {
        abortSignal,
      });
      if (!Body || ContentLength === undefined || ContentLength > maxObjectBytes)
        throw new ObjectTooLargeError(key);
      return Buffer.from(await Body.transformToByteArray());
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async delete(keys: readonly string[], abortSignal: AbortSignal): Promise<void> {
    for (let first = 0; first < keys.length; first += deletedAtOnce) {
      const batch = keys.slice(first, first + deletedAtOnce).map((key) => this.#prefix + key);
      await this.#deleteFull(batch, abortSignal);
    }
  }

  async deleteSession(sessionId: string, abortSignal: AbortSignal): Promise<void> {
    const prefix = `${this.#prefix}${sessionId}/`;
    for (;;) {
      const list = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: prefix, MaxKeys: deletedAtOnce });
      const { Contents = [] } = await this.#client.send(list, { abortSignal });
      const keys = Contents.flatMap(({ Key }) => Key ?? []);
      if (keys.length === 0) return;
      await this.#deleteFull(keys, abortSignal);
    }
  }

  close(): void {
    this.#client.destroy();
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }

  async #deleteFull(keys: readonly string[], abortSignal: AbortSignal): Promise<void> {
    const { Errors = [] } = await this.#client.send(
      new DeleteObjectsCommand({
        Bucket: this.#bucket,
        Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true },
      }),
      { abortSignal },
    );
    const [first] = Errors;
    if (first) throw new Error(`The storage did not delete ${first.Key}: ${first.Message ?? first.Code}`);
  }
}
