import { Type } from 'typebox';
import type { ApiDescription } from '../http/api-description.ts';

/** OpenAPI descriptions of the file routes. */

const id = Type.String({ description: 'The session id or the CDP id' });
const name = Type.String({ description: 'The name of the file: 1 to 200 bytes, no slash' });

const sentOn = (what: string): ApiDescription['answers'] => ({
  307: {
    description:
      `${what} It is on the machine where the browser runs; follow the redirect with the same method and body. ` +
      'The URL is a secret, and the machine needs no key.',
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
    'What the browser downloaded and what was uploaded: `{"files":[{"name","bytes","modifiedAt"}]}`. ' +
    'They are gone with the session.',
  params: Type.Object({ id }),
  answers: sentOn('The list.'),
};

export const downloadFileApi: ApiDescription = {
  ...common,
  id: 'downloadFile',
  summary: 'Download a file of a session',
  params: Type.Object({ id, name }),
  answers: sentOn('The file.'),
};

export const uploadFileApi: ApiDescription = {
  ...common,
  id: 'uploadFile',
  summary: 'Upload a file to a session',
  description:
    'The file is then at `/home/user/files/<name>` for `DOM.setFileInputFiles`. 413 when it does not fit into ' +
    "what is left of the session's scratch.",
  params: Type.Object({ id, name }),
  body: { required: true, content: { 'application/octet-stream': { schema: Type.String() } } },
  answers: sentOn('Where to send it.'),
};

export const removeFileApi: ApiDescription = {
  ...common,
  id: 'removeFile',
  summary: 'Remove a file of a session',
  params: Type.Object({ id, name }),
  answers: sentOn('Where to remove it.'),
};
