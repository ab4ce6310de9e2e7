import { type SoldDevice, type SoldScreen, scaled } from './sold-device.ts';

/*
 * Computers that run Linux: those of `windows-computers.ts` and their like, under the names that Mesa and NVIDIA's driver
 * give their GPUs in fingerprint-generator's data.
 */

const es = (brand: string, gpu: string) => `ANGLE (${brand}, ${gpu}, OpenGL ES 3.2)`;
const gl = (brand: string, gpu: string) => `ANGLE (${brand}, ${gpu}, OpenGL 4.6)`;
const intel = (gpu: string) => es('Intel', `Mesa Intel(R) ${gpu}`);
const intelGl = (gpu: string) => gl('Intel', `Mesa Intel(R) ${gpu}`);
const nvidia = (gpu: string) => `ANGLE (NVIDIA Corporation, NVIDIA GeForce ${gpu}/PCIe/SSE2, OpenGL 4.5.0)`;

const fhd = scaled([1920, 1080, 1]);
const hd = scaled([1366, 768, 1]);
const wuxga = scaled([1920, 1200, 1]);

type Row = readonly [
  id: string,
  name: string,
  weight: number,
  renderer: string,
  processors: number,
  memory: readonly number[],
  screens: readonly SoldScreen[],
];

const rows: readonly Row[] = [
  ['x250', 'ThinkPad X250 (i5-5300U)', 3, intelGl('HD Graphics 5500 (BDW GT2)'), 4, [4, 8], hd],
  ['t440p', 'ThinkPad T440p (i5-4300M)', 2, intelGl('HD Graphics 4600 (HSW GT2)'), 4, [8, 16], fhd],
  ['t460s', 'ThinkPad T460s (i5-6300U)', 4, intel('HD Graphics 520 (SKL GT2)'), 4, [8, 12, 20], fhd],
  ['t470', 'ThinkPad T470 (i5-7200U)', 4, intel('HD Graphics 620 (KBL GT2)'), 4, [8, 16, 32], fhd],
  ['t480', 'ThinkPad T480 (i5-8350U)', 7, intel('UHD Graphics 620 (KBL GT2)'), 8, [8, 16, 32], fhd],
  ['t490', 'ThinkPad T490 (i5-8265U)', 5, intel('UHD Graphics 620 (WHL GT2)'), 8, [8, 16, 32], fhd],
  ['t490-gl', 'Latitude 5400 (i5-8365U)', 3, intelGl('UHD Graphics 620 (WHL GT2)'), 8, [8, 16], fhd],
  ['t14g1', 'ThinkPad T14 Gen 1 (i5-10210U)', 6, intel('UHD Graphics (CML GT2)'), 8, [8, 16, 32], fhd],
  ['l5410', 'Latitude 5410 (i7-10610U)', 4, intelGl('UHD Graphics (CML GT2)'), 8, [16, 32], fhd],
  ['p53', 'ThinkPad P53 (i7-9750H)', 3, intel('UHD Graphics 630 (CFL GT2)'), 12, [16, 32], fhd],
  ['t14g2', 'ThinkPad T14 Gen 2 (i5-1135G7)', 6, intel('Iris(R) Xe Graphics (TGL GT2)'), 8, [8, 16, 32], fhd],
  ['e14-i3', 'ThinkPad E14 Gen 2 (i3-1115G4)', 2, intelGl('UHD Graphics (TGL GT1)'), 4, [8, 16], fhd],
  ['t14g4', 'ThinkPad T14 Gen 4 (i5-1340P)', 3, intel('Iris(R) Xe Graphics (RPL-P)'), 16, [16, 32], wuxga],
  ['e14g5', 'ThinkPad E14 Gen 5 (i5-1335U)', 3, intel('Iris(R) Xe Graphics (RPL-U)'), 12, [8, 16], wuxga],
  [
    'x1c12',
    'ThinkPad X1 Carbon Gen 12 (Core Ultra 7 155H)',
    3,
    intel('Arc(tm) Graphics (MTL)'),
    22,
    [16, 32],
    wuxga,
  ],
  ['op-12400', 'Vostro 3710 (i5-12400)', 3, intelGl('UHD Graphics (ADL-S GT1)'), 12, [8, 16, 32], []],
  [
    't14g1a',
    'ThinkPad T14 Gen 1 (Ryzen 5 PRO 4650U)',
    5,
    es('AMD', 'AMD Radeon Graphics (radeonsi renoir ACO)'),
    12,
    [8, 16, 32],
    fhd,
  ],
  [
    't14g1a-7',
    'ThinkPad T14 Gen 1 (Ryzen 7 PRO 4750U)',
    4,
    es('AMD', 'AMD Radeon Graphics (radeonsi renoir ACO)'),
    16,
    [16, 32],
    fhd,
  ],
  [
    't14g3a',
    'ThinkPad T14 Gen 3 (Ryzen 7 PRO 6850U)',
    3,
    es('AMD', 'AMD Radeon 680M (radeonsi rembrandt ACO)'),
    16,
    [16, 32],
    wuxga,
  ],
  [
    'z13g1',
    'ThinkPad Z13 (Ryzen 5 PRO 6650U)',
    2,
    gl('AMD', 'AMD Radeon 660M (radeonsi rembrandt LLVM 20.1.2)'),
    12,
    [16],
    wuxga,
  ],
  [
    't14g4a',
    'ThinkPad T14 Gen 4 (Ryzen 7 PRO 7840U)',
    4,
    es('AMD', 'AMD Radeon 780M Graphics (radeonsi phoenix ACO)'),
    16,
    [16, 32],
    wuxga,
  ],
  [
    'r2600-580',
    'Ryzen 5 2600, RX 580',
    2,
    gl('AMD', 'AMD Radeon RX 580 Series (polaris10 LLVM 15.0.7)'),
    12,
    [16],
    [],
  ],
  [
    'r5900x-6800xt',
    'Ryzen 9 5900X, RX 6800 XT',
    1,
    es('AMD', 'AMD Radeon RX 6800 XT (radeonsi navi21 LLVM 20.1.2)'),
    24,
    [32, 64],
    [],
  ],
  ['i8700-1060', 'i7-8700, GTX 1060', 2, nvidia('GTX 1060 6GB'), 12, [16, 32], []],
  ['r3600-2060', 'Ryzen 5 3600, RTX 2060', 2, nvidia('RTX 2060'), 12, [16, 32], []],
  ['r5900x-3090', 'Ryzen 9 5900X, RTX 3090', 3, nvidia('RTX 3090'), 24, [32, 64], []],
  ['i10900-3090', 'i9-10900K, RTX 3090', 2, nvidia('RTX 3090'), 20, [32, 64], []],
  ['i12400f-4060', 'i5-12400F, RTX 4060', 4, nvidia('RTX 4060'), 12, [16, 32], []],
  ['r7600x-4060ti', 'Ryzen 5 7600X, RTX 4060 Ti', 2, nvidia('RTX 4060 Ti'), 12, [16, 32], []],
  ['i14700k-4080s', 'i7-14700K, RTX 4080 SUPER', 1, nvidia('RTX 4080 SUPER'), 28, [32, 64], []],
  ['r9600x-5070', 'Ryzen 5 9600X, RTX 5070', 2, nvidia('RTX 5070'), 12, [32], []],
];

export const linuxComputers: readonly SoldDevice[] = rows.map(
  ([id, name, weight, renderer, processors, memory, screens]) => ({
    ...{ id, name, weight, renderer, processors, memory, screens },
  }),
);

/** Chrome does not say. */
export const linuxVersions: readonly (readonly [string, number])[] = [['', 1]];
