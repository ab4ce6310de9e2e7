import { Type } from 'typebox';
import type { ApiDescription } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of the file routes. */

const id = Type.String({ description: 'The session id or the CDP id' });
const name = Type.String({ description: 'The name of the file: 1 to 200 bytes, no slash' });

const redirected = (what: string): ApiDescription['answers'] => ({
  307: {
    description:
      `${what} It is on the host that runs the browser; follow the redirect with the same method and body. ` +
      'The URL is a secret, and needs no key.',
    headers: Type.Object({ location: Type.String() }),
  },
});

const common = {
  tag: 'Files',
  security: ['apiKey'],
  errors: ['sessionNotFound', 'sessionEnded', 'notFound'],
} as const;

export const listFilesApi: ApiDescription = {
  ...common,
  id: 'listFiles',
  summary: 'List the files of a session',
  description:
    'Downloads of the browser, and uploads, as `SessionFiles`. ' + 'Files are deleted when the session ends.',
  params: Type.Object({ id }),
  answers: redirected('The list.'),
};

export const downloadFileApi: ApiDescription = {
  ...common,
  id: 'downloadFile',
  summary: 'Download a file of a session',
  params: Type.Object({ id, name }),
  answers: redirected('The file.'),
};

export const uploadFileApi: ApiDescription = {
  ...common,
  id: 'uploadFile',
  summary: 'Upload a file to a session',
  description:
    'The file is then at `/home/user/files/<name>` for `DOM.setFileInputFiles`. 413 when it does not fit into ' +
    "what is left of the session's scratch.",
  params: Type.Object({ id, name }),
  body: { 'application/octet-stream': { schema: Type.String() } },
  answers: redirected('Where to send it.'),
};

export const removeFileApi: ApiDescription = {
  ...common,
  id: 'removeFile',
  summary: 'Delete a file of a session',
  params: Type.Object({ id, name }),
  answers: redirected('Where to delete it.'),
};
