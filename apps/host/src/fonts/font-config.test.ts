import { expect, it } from 'vitest';
import { fontConfig } from './font-config.ts';
import { freeFonts } from './free-fonts.ts';
import { systemFonts } from './system-fonts.ts';

const files = Object.values(freeFonts).flatMap(({ faces }) =>
  Object.values(faces).map((file) => `/usr/share/fonts/any/${file}`),
);

it('a file has the names of the claimed system, by family, full name and PostScript name', () => {
  const config = fontConfig(systemFonts.windows, files);
  const rule = config.split('\n').find((line) => line.includes('LiberationSans-Bold.ttf</string></test>'));
  expect(rule).toContain('<edit name="family" mode="assign_replace"><string>Arial</string>');
  expect(rule).toContain('<edit name="fullname" mode="assign_replace"><string>Arial Bold</string>');
  expect(rule).toContain('<edit name="postscriptname" mode="assign_replace"><string>Arial-BoldMT</string>');
});

it('a style that is no plain one is a family of its own, too', () => {
  const config = fontConfig(systemFonts.windows, files);
  const rule = config.split('\n').find((line) => line.includes('OpenSans-LightItalic.ttf</string></test>'));
  expect(rule).toContain('<string>Segoe UI</string><string>Segoe UI Light</string></edit>');
  expect(rule).toContain('<string>Segoe UI Light Italic</string>');
});

it('what is not installed, and other files beside what is, are left out', () => {
  const config = fontConfig(systemFonts.macos, ['/fonts/inter/Inter-Regular.otf', '/fonts/inter/Inter.txt']);
  expect(config).toContain('<dir>/fonts/inter</dir>');
  expect(config).toContain('<rejectfont><glob>/fonts/inter/*</glob></rejectfont>');
  expect(config).toContain(
    '<acceptfont><glob>/fonts/inter</glob><glob>/fonts/inter/Inter-Regular.otf</glob></acceptfont>',
  );
  expect(config).not.toContain('Helvetica</string>');
});

it.each(Object.entries(systemFonts))(
  'the families that %s uses by itself are among its own',
  (_os, { ui, generic, families }) => {
    const own = Object.values(families).flat();
    expect(own).toEqual(expect.arrayContaining([ui, ...Object.values(generic)]));
    expect(new Set(own).size).toBe(own.length);
  },
);
