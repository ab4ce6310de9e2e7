import { FileStorage } from './file-storage.ts';
import type { RecordingLocation, RecordingStorage } from './recording-storage.ts';

/** Opens the storage. The S3 client is loaded only where it is used. */
export async function openRecordingStorage(location: RecordingLocation): Promise<RecordingStorage> {
  if (location.kind === 'file') return new FileStorage(location.directory);
  const { S3Storage } = await import('./s3-storage.ts');
  return new S3Storage(location);
}
