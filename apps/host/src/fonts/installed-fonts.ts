import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { freeFonts } from './free-fonts.ts';

const fontsRoot = '/usr/share/fonts';

/** The paths of all fonts on this machine. */
export function installedFonts(root = fontsRoot): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The Debian packages of fonts that claimed systems need and this machine lacks. */
export function missingFontPackages(root?: string): string[] {
  const installed = new Set(installedFonts(root).map((path) => basename(path)));
  const missing = Object.values(freeFonts).filter(({ faces }) => !installed.has(faces.Regular));
  return [...new Set(missing.map((font) => font.package))];
}
