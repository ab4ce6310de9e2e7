import { basename, dirname } from 'node:path';
import { type FreeFont, freeFonts } from './free-fonts.ts';
import type { SystemFonts } from './system-fonts.ts';

/** One file under the names of a claimed system. */
interface Face {
  path: string;
  families: readonly string[];
  fullNames: readonly string[];
  postScriptNames: readonly string[];
}

/** Names of the fonts that are no plain combination of family and style; `*` stands for the style. */
const postScriptPatterns: Readonly<Record<string, string>> = {
  Arial: 'Arial*MT',
  'Courier New': 'CourierNewPS*MT',
  'Times New Roman': 'TimesNewRomanPS*MT',
};

/** Styles that a family has under its own name. Others are also families of their own, such as `Segoe UI Light`. */
const ownStyles = new Set(['Regular', 'Bold', 'Italic', 'Bold Italic']);

/**
 * Fontconfig's configuration that shows a system's families and no others. Rules rewrite the names of files as they are
 * scanned, so that `local()` and every other search find only those. `files` are the paths of fonts on this machine.
 */
export function fontConfig(system: SystemFonts, files: Iterable<string>): string {
  const paths = new Map([...files].map((path) => [basename(path), path]));
  const faces = facesOf(system, paths);
  const directories = [...new Set(faces.map(({ path }) => dirname(path)))];
  const { ui, generic } = system;
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    '<fontconfig>',
    ...directories.map((directory) => `<dir>${escaped(directory)}</dir>`),
    '<cachedir>~/fonts/cache</cachedir>',
    '<selectfont>',
    `<rejectfont>${directories.map((directory) => glob(`${directory}/*`)).join('')}</rejectfont>`,
    `<acceptfont>${[...directories, ...faces.map(({ path }) => path)].map(glob).join('')}</acceptfont>`,
    '</selectfont>',
    ...faces.map(scanRule),
    ...[
      ['sans', ui],
      ['sans-serif', ui],
      ['system-ui', ui],
      ['serif', generic.serif],
      ['monospace', generic.fixed],
    ].map(([name = '', family = '']) => alias(name, family)),
    fallbackRule(ui),
    hintingRule,
    '</fontconfig>',
  ].join('\n');
}

function facesOf({ families, aliases = {} }: SystemFonts, paths: ReadonlyMap<string, string>): Face[] {
  return (Object.keys(families) as FreeFont[]).flatMap((font) =>
    Object.entries<string>(freeFonts[font].faces).flatMap(([style, file]) => {
      const path = paths.get(file);
      if (path === undefined) return [];
      const named = families[font] ?? [];
      return [
        {
          path,
          families: [...named, ...(aliases[font] ?? []), ...styleFamilies(named, style)],
          fullNames: named.map((family) => fullName(family, style)),
          postScriptNames: named.map((family) => postScriptName(family, style)),
        },
      ];
    }),
  );
}

function styleFamilies(families: readonly string[], style: string): string[] {
  const name = style.replace(' Italic', '');
  return ownStyles.has(style) ? [] : families.map((family) => `${family} ${name}`);
}

function fullName(family: string, style: string): string {
  return style === 'Regular' ? family : `${family} ${style}`;
}

function postScriptName(family: string, style: string): string {
  const suffix = style === 'Regular' ? '' : `-${style.replace(' ', '')}`;
  const pattern = postScriptPatterns[family] ?? `${family.replaceAll(' ', '')}*`;
  return pattern.replace('*', suffix);
}

function scanRule({ path, families, fullNames, postScriptNames }: Face): string {
  return [
    `<match target="scan"><test name="file">${string(path)}</test>`,
    `<edit name="family" mode="assign_replace">${families.map(string).join('')}</edit>`,
    `<edit name="fullname" mode="assign_replace">${fullNames.map(string).join('')}</edit>`,
    `<edit name="postscriptname" mode="assign_replace">${postScriptNames.map(string).join('')}</edit>`,
    '</match>',
  ].join('');
}

function alias(name: string, family: string): string {
  return `<alias binding="same"><family>${name}</family><prefer><family>${escaped(family)}</family></prefer></alias>`;
}

/** As Debian has it. Fontconfig's own default is full hinting, which makes letters wider and narrower. */
const hintingRule =
  '<match target="pattern"><edit name="hintstyle" mode="append"><const>hintslight</const></edit></match>';

/**
 * What is found for a name that the system does not have. Chromium takes a font of the same metrics for the asked one:
 * without this, `Liberation Sans` would be drawn by Arial. There is none for the family of the user interface.
 */
function fallbackRule(family: string): string {
  return `<match target="pattern"><edit name="family" mode="append_last">${string(family)}</edit></match>`;
}

const glob = (path: string): string => `<glob>${escaped(path)}</glob>`;
const string = (text: string): string => `<string>${escaped(text)}</string>`;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
