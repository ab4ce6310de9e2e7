const bounds = { pathBytes: 1000, nameBytes: 255, depth: 20 } as const;

/** Chromium keeps other names that begin with an underscore for itself, at the top. */
const underscored = new Set(['_locales', '_platform_specific']);

/** Says why a path cannot be a file's or directory's in an extension; undefined if it can. */
export function pathTrouble(path: string): string | undefined {
  const shown = JSON.stringify(path.slice(0, 100));
  const names = path.split('/');
  if (Buffer.byteLength(path) > bounds.pathBytes || names.length > bounds.depth)
    return `The path ${shown} is too long.`;
  if (path.includes('\\')) return `The path ${shown} has a backslash. Pack the archive with slashes.`;
  for (const name of names) {
    const bytes = Buffer.byteLength(name);
    if (bytes === 0 || name === '.' || name === '..' || hasControls(name))
      return `The path ${shown} is not relative to the top of the archive.`;
    if (bytes > bounds.nameBytes) return `The path ${shown} is too long.`;
  }
  const [top = ''] = names;
  if (top.startsWith('_') && !underscored.has(top))
    return `${JSON.stringify(top)} begins with an underscore. Chromium keeps such names for itself.`;
  return undefined;
}

function hasControls(name: string): boolean {
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) < 0x20) return true;
  return false;
}
