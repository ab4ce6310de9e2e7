/** Interface B: products, units, and what is metered. */

export const products = ['residential', 'rotating-isp', 'rotating-dc', 'web-unblocker'] as const;
export type Product = (typeof products)[number];

export const isProduct = (text: string): text is Product => (products as readonly string[]).includes(text);

/** Decimal, and of bytes: the number of decimal digits between a byte and the unit. */
export const unitDigits = { Kb: 3, Mb: 6, Gb: 9, Tb: 12 } as const;
export type Unit = keyof typeof unitDigits;

/** ISO 3166-1 alpha-2; where the country is not known. */
export const unknownCountry = 'ZZ';

/** What bytes are counted by. `day` is a UTC day, YYYY-MM-DD. */
export interface MeterKey {
  accountId: string;
  product: Product;
  country: string;
  day: string;
}

/** Cumulative since the source began; the store keeps what is new, so a report may be sent twice. */
export interface MeterCounter extends MeterKey {
  bytes: bigint;
}

export interface MeterReport {
  /** One run of one metering process. */
  source: string;
  counters: readonly MeterCounter[];
}

/** What the metered proxy asks of the gateway's side. */
export interface MeterBackend {
  /** Undefined: no such user, wrong password, or suspended. */
  authenticate(user: string, password: string): Promise<{ accountId: string } | undefined>;
  /** Which of these accounts may not use the proxy any more: suspended, or gone. */
  refused(accountIds: readonly string[]): Promise<string[]>;
  report(report: MeterReport): Promise<void>;
  /** The store's time, by which days begin and end; undefined: this machine's. */
  now?: () => number;
}
