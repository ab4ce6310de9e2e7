/** What a result or a file is, for the header of the answer. */

export const unknownType = 'application/octet-stream';

const signatures: readonly [type: string, bytes: string, at?: number][] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF8'],
  ['image/webp', 'WEBP', 8],
  ['application/pdf', '%PDF-'],
  ['application/zip', 'PK\x03\x04'],
  ['application/gzip', '\x1f\x8b'],
  ['video/webm', '\x1aE\xdf\xa3'],
  ['video/mp4', 'ftyp', 4],
];

/** Tells a type by the first bytes. */
export function typeOfBytes(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return signatures.find(([, text, at = 0]) => start.startsWith(text, at))?.[0] ?? unknownType;
}

const byExtension: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  css: 'text/css',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mhtml: 'multipart/related',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  txt: 'text/plain',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** Tells a type by a file's name. */
export function typeOfFile(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return (Object.hasOwn(byExtension, extension) && byExtension[extension]) || unknownType;
}
