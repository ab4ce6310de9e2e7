import { stripTypeScriptTypes } from 'node:module';

/** Returns a script that browsers, or Node without files, can run: TypeScript without its types. */
export function withoutTypes(text: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {}; // Node warns that this function is experimental. The Node version is pinned.
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
