import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document } from './client-types/document.ts';
import { nodeTypes } from './client-types/node-types.ts';
import { pythonTypes } from './client-types/python-types.ts';
import { root, writeOrCheck } from './generated-files.ts';

/** Writes the clients' types of answers from docs/openapi.json, which must be up to date. */
const notice = 'Written by scripts/generate/client-types.ts from docs/openapi.json: do not edit.';
const document = new Document(JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')));
writeOrCheck(
  {
    'packages/client/src/answers.ts': nodeTypes(document, notice),
    'clients/python/src/turnpike/models.py': pythonTypes(document, notice),
  },
  'npm run openapi',
);
