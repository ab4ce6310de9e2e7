/** Files of a free font, by style. */
interface Faces {
  readonly Regular: string;
  readonly [style: string]: string;
}

interface Font {
  package: string;
  faces: Faces;
}

const four = (name: string, extension = 'ttf'): Faces => ({
  Regular: `${name}-Regular.${extension}`,
  Bold: `${name}-Bold.${extension}`,
  Italic: `${name}-Italic.${extension}`,
  'Bold Italic': `${name}-BoldItalic.${extension}`,
});
const two = (name: string): Faces => ({ Regular: `${name}.ttf`, Bold: `${name}-Bold.ttf` });

const fonts = {
  liberationSans: { package: 'fonts-liberation', faces: four('LiberationSans') },
  liberationNarrow: { package: 'fonts-liberation', faces: four('LiberationSansNarrow') },
  liberationSerif: { package: 'fonts-liberation', faces: four('LiberationSerif') },
  liberationMono: { package: 'fonts-liberation', faces: four('LiberationMono') },
  dejavuSans: { package: 'fonts-dejavu-core', faces: two('DejaVuSans') },
  dejavuSerif: { package: 'fonts-dejavu-core', faces: two('DejaVuSerif') },
  dejavuMono: { package: 'fonts-dejavu-core', faces: two('DejaVuSansMono') },
  carlito: { package: 'fonts-crosextra-carlito', faces: four('Carlito') },
  caladea: { package: 'fonts-crosextra-caladea', faces: four('Caladea') },
  openSans: {
    package: 'fonts-open-sans',
    faces: {
      ...four('OpenSans'),
      Light: 'OpenSans-Light.ttf',
      'Light Italic': 'OpenSans-LightItalic.ttf',
      Semibold: 'OpenSans-Semibold.ttf',
      'Semibold Italic': 'OpenSans-SemiboldItalic.ttf',
    },
  },
  openSansHeavy: { package: 'fonts-open-sans', faces: { Regular: 'OpenSans-ExtraBold.ttf' } },
  openSansNarrow: { package: 'fonts-open-sans', faces: { Regular: 'OpenSans-CondBold.ttf' } },
  inter: {
    package: 'fonts-inter',
    faces: {
      ...four('Inter', 'otf'),
      Thin: 'Inter-Thin.otf',
      Light: 'Inter-Light.otf',
      Medium: 'Inter-Medium.otf',
      Semibold: 'Inter-SemiBold.otf',
      Heavy: 'Inter-ExtraBold.otf',
      Black: 'Inter-Black.otf',
    },
  },
  roboto: {
    package: 'fonts-roboto-unhinted',
    faces: {
      ...four('Roboto'),
      Thin: 'Roboto-Thin.ttf',
      'Thin Italic': 'Roboto-ThinItalic.ttf',
      Light: 'Roboto-Light.ttf',
      'Light Italic': 'Roboto-LightItalic.ttf',
      Medium: 'Roboto-Medium.ttf',
      'Medium Italic': 'Roboto-MediumItalic.ttf',
      Black: 'Roboto-Black.ttf',
      'Black Italic': 'Roboto-BlackItalic.ttf',
    },
  },
  robotoCondensed: { package: 'fonts-roboto-unhinted', faces: four('RobotoCondensed') },
  comicNeue: { package: 'fonts-comic-neue', faces: four('ComicNeue', 'otf') },
  droidFallback: { package: 'fonts-droid-fallback', faces: { Regular: 'DroidSansFallbackFull.ttf' } },
  notoEmoji: { package: 'fonts-noto-color-emoji', faces: { Regular: 'NotoColorEmoji.ttf' } },
} satisfies Record<string, Font>;

export type FreeFont = keyof typeof fonts;

/** Free fonts by which the families of other systems are drawn, each in its Debian package. */
export const freeFonts: Readonly<Record<FreeFont, Font>> = fonts;
