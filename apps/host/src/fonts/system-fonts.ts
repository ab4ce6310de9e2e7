import type { OperatingSystem } from '@turnpike/contract/create-parameters';
import type { FreeFont } from './free-fonts.ts';

/** The fonts that a claimed system has. */
export interface SystemFonts {
  /** Its families, by the free font that draws them. */
  families: Readonly<Partial<Record<FreeFont, readonly string[]>>>;
  /** Names that its style sheets know and `local()` does not. */
  aliases?: Readonly<Partial<Record<FreeFont, readonly string[]>>>;
  /** The family of `system-ui`, and of names that it does not have. */
  ui: string;
  /** Chrome's settings for CSS's generic families on it. */
  generic: {
    standard: string;
    serif: string;
    sansserif: string;
    fixed: string;
    cursive: string;
    fantasy: string;
    math: string;
  };
}

/**
 * The families of Windows 11, macOS 13 to 26 and Android 11 to 16, without optional downloads. A font of the same
 * metrics draws what there is one for: Liberation for Arial, Times and Courier, Carlito for Calibri, Caladea for Cambria,
 * DejaVu Sans Mono for Menlo. Other families only have a font of their kind. Letters of Chinese, Japanese and Korean
 * families are drawn by another font than their characters, because the free one has none. Linux keeps the machine's
 * fonts.
 */
export const systemFonts: Readonly<Record<Exclude<OperatingSystem, 'linux'>, SystemFonts>> = {
  windows: {
    ui: 'Segoe UI',
    generic: {
      standard: 'Times New Roman',
      serif: 'Times New Roman',
      sansserif: 'Arial',
      fixed: 'Consolas',
      cursive: 'Comic Sans MS',
      fantasy: 'Impact',
      math: 'Cambria Math',
    },
    families: {
      liberationSans: [
        'Arial',
        'Microsoft Sans Serif',
        'Franklin Gothic Medium',
        'Ebrima',
        'Gadugi',
        'Leelawadee UI',
        'Nirmala UI',
        'Myanmar Text',
        'Microsoft New Tai Lue',
        'Microsoft PhagsPa',
        'Microsoft Tai Le',
      ],
      liberationSerif: [
        'Times New Roman',
        'Sylfaen',
        'Javanese Text',
        'Microsoft Himalaya',
        'Microsoft Yi Baiti',
        'Mongolian Baiti',
        'SimSun',
        'NSimSun',
        'SimSun-ExtB',
        'MingLiU-ExtB',
        'PMingLiU-ExtB',
        'MingLiU_HKSCS-ExtB',
      ],
      liberationMono: ['Courier New', 'MS Gothic', 'Cascadia Mono', 'Cascadia Code'],
      carlito: [
        'Calibri',
        'Calibri Light',
        'Candara',
        'Corbel',
        'Gabriola',
        'Segoe UI Variable',
        'Microsoft YaHei',
        'Microsoft JhengHei',
        'Microsoft JhengHei UI',
        'Yu Gothic',
        'Yu Gothic UI',
        'MS PGothic',
        'MS UI Gothic',
        'Malgun Gothic',
      ],
      caladea: [
        'Cambria',
        'Cambria Math',
        'Constantia',
        'Georgia',
        'Palatino Linotype',
        'Sitka Text',
        'Sitka',
      ],
      openSans: ['Segoe UI'],
      openSansHeavy: ['Arial Black', 'Segoe UI Black'],
      openSansNarrow: ['Impact'],
      dejavuSans: [
        'Verdana',
        'Tahoma',
        'Lucida Sans Unicode',
        'Segoe UI Symbol',
        'Segoe UI Historic',
        'Segoe MDL2 Assets',
        'Segoe Fluent Icons',
        'HoloLens MDL2 Assets',
        'Marlett',
        'Symbol',
        'Webdings',
        'Wingdings',
      ],
      dejavuMono: ['Lucida Console', 'Consolas'],
      robotoCondensed: ['Bahnschrift', 'Trebuchet MS'],
      comicNeue: ['Comic Sans MS', 'Ink Free', 'MV Boli', 'Segoe Print', 'Segoe Script'],
      droidFallback: ['Microsoft YaHei UI'],
      notoEmoji: ['Segoe UI Emoji'],
    },
  },
  macos: {
    ui: 'System Font',
    generic: {
      standard: 'Times',
      serif: 'Times',
      sansserif: 'Helvetica',
      fixed: 'Menlo',
      cursive: 'Apple Chancery',
      fantasy: 'Papyrus',
      math: 'STIX Two Math',
    },
    families: {
      liberationSans: [
        'Helvetica',
        'Arial',
        'Helvetica Neue',
        'Arial Unicode MS',
        'Galvji',
        'Kohinoor Devanagari',
        'Kohinoor Devanagari Medium',
        'Mukta Mahee',
        'MuktaMahee Regular',
        'InaiMathi',
        'InaiMathi Bold',
        'Noto Sans Gunjala Gondi',
        'Noto Sans Gunjala Gondi Regular',
        'Noto Sans Masaram Gondi',
        'Noto Sans Masaram Gondi Regular',
        'Noto Sans Canadian Aboriginal',
        'Noto Sans Canadian Aboriginal Regular',
      ],
      liberationNarrow: ['Arial Narrow'],
      liberationSerif: [
        'Times',
        'Times New Roman',
        'Baskerville',
        'Big Caslon',
        'Cochin',
        'Didot',
        'Hoefler Text',
        'STIX Two Text',
        'STIX Two Text Regular',
        'STIX Two Math',
        'STIX Two Math Regular',
        'Noto Serif Yezidi',
        'Noto Serif Yezidi Regular',
      ],
      liberationMono: ['Courier', 'Courier New', 'PT Mono'],
      carlito: [
        'Gill Sans',
        'Optima',
        'Skia',
        'PT Sans',
        'PingFang TC',
        'PingFang HK',
        'PingFang HK Light',
        'Hiragino Sans',
        'Hiragino Kaku Gothic ProN',
        'Hiragino Mincho ProN',
        'Heiti SC',
        'Songti SC',
        'AppleGothic',
        'Apple SD Gothic Neo',
        'Apple SD Gothic Neo ExtraBold',
      ],
      caladea: ['Georgia', 'Palatino', 'Charter', 'Iowan Old Style', 'PT Serif', 'Bodoni 72'],
      openSans: ['Trebuchet MS', 'Avenir', 'Avenir Next'],
      openSansHeavy: ['Arial Black', 'Futura', 'Futura Bold', 'Phosphate'],
      openSansNarrow: ['Impact', 'DIN Condensed', 'Avenir Next Condensed'],
      dejavuSans: [
        'Lucida Grande',
        'Geneva',
        'Verdana',
        'Tahoma',
        'Apple Symbols',
        'Zapf Dingbats',
        'Symbol',
      ],
      dejavuSerif: [
        'American Typewriter',
        'American Typewriter Semibold',
        'Rockwell',
        'Superclarendon',
        'Copperplate',
      ],
      dejavuMono: ['Menlo', 'Monaco', 'Andale Mono'],
      inter: ['System Font'],
      robotoCondensed: ['DIN Alternate'],
      comicNeue: [
        'Comic Sans MS',
        'Apple Chancery',
        'Bradley Hand',
        'Brush Script MT',
        'Chalkboard',
        'Chalkduster',
        'Luminari',
        'Marker Felt',
        'Noteworthy',
        'Papyrus',
        'SignPainter',
        'SignPainter-HouseScript Semibold',
        'Snell Roundhand',
        'Zapfino',
      ],
      droidFallback: ['PingFang SC'],
      notoEmoji: ['Apple Color Emoji'],
    },
    aliases: { inter: ['-apple-system', 'BlinkMacSystemFont'] },
  },
  android: {
    ui: 'Roboto',
    generic: {
      standard: 'Noto Serif',
      serif: 'Noto Serif',
      sansserif: 'Roboto',
      fixed: 'Droid Sans Mono',
      cursive: 'Dancing Script',
      fantasy: 'Roboto',
      math: 'Roboto',
    },
    families: {
      roboto: ['Roboto'],
      liberationSerif: ['Noto Serif'],
      liberationMono: ['Droid Sans Mono', 'Cutive Mono'],
      robotoCondensed: ['Carrois Gothic SC', 'Source Sans Pro'],
      comicNeue: ['Coming Soon', 'Dancing Script'],
      dejavuSans: ['Noto Naskh Arabic', 'Noto Sans Hebrew', 'Noto Sans Symbols'],
      droidFallback: ['Noto Sans CJK JP'],
      notoEmoji: ['Noto Color Emoji'],
    },
    aliases: {
      roboto: ['Arial', 'Helvetica', 'Tahoma', 'Verdana'],
      liberationSerif: ['Times', 'Times New Roman', 'Palatino', 'Georgia', 'Baskerville', 'Goudy'],
      liberationMono: ['Courier', 'Courier New', 'Monaco'],
      robotoCondensed: ['sans-serif-condensed'],
    },
  },
};
