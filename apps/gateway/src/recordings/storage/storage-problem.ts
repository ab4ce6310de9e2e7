import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { openRecordingStorage } from './open-storage.ts';
import type { RecordingLocation } from './recording-storage.ts';

/** What keeps recordings from being stored, and what to do about it. */
export interface StorageProblem {
  what: string;
  advice: string;
}

type Bucket = Extract<RecordingLocation, { kind: 's3' }>;

const tryMs = 10_000;

/**
 * Checks whether recordings can be stored. A bucket is written to. A directory is not, so that nothing in it belongs to
 * somebody else than the service's user.
 */
export async function findStorageProblem(location: RecordingLocation): Promise<StorageProblem | undefined> {
  if (location.kind === 'file') return directoryProblem(location.directory);
  const storage = await openRecordingStorage(location);
  const key = `check/${randomBytes(6).toString('hex')}`;
  const signal = AbortSignal.timeout(tryMs);
  try {
    await storage.put(key, Buffer.from('written by turnpike doctor'), signal);
    await storage.delete([key], signal);
    return undefined;
  } catch (error) {
    return bucketProblem(location, error as Error);
  } finally {
    storage.close();
  }
}

function directoryProblem(directory: string): StorageProblem | undefined {
  let existing = directory;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(`${existing}/.`, constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    return {
      what: `recordings cannot go to ${directory}: ${existing} is not a directory that can be written`,
      advice: 'let this user write it, or set TURNPIKE_RECORDINGS_URL to file: and another directory',
    };
  }
}

/** Names of errors of the S3 client and of servers, about who asks. */
const unauthorized = new Set([
  'AccessDenied',
  'CredentialsProviderError',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
]);

function bucketProblem({ bucket, prefix, endpoint }: Bucket, error: Error): StorageProblem {
  const place = `s3://${bucket}/${prefix}`;
  if (error.name === 'NoSuchBucket')
    return {
      what: `recordings cannot go to ${place}: there is no such bucket`,
      advice: 'create it, or correct TURNPIKE_RECORDINGS_URL',
    };
  if (unauthorized.has(error.name))
    return {
      what: `recordings cannot go to ${place}: it may not be written (${error.name})`,
      advice:
        'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to those of a user who may put, get, list and delete objects there',
    };
  return {
    what: `recordings cannot go to ${place}: ${error.message || error.name}`,
    advice:
      endpoint === undefined
        ? 'correct AWS_REGION, or set AWS_ENDPOINT_URL_S3 to the server of the bucket'
        : `start the server at ${endpoint}, or correct AWS_ENDPOINT_URL_S3`,
  };
}
