/** Interface B: products, units and metering. */

export const products = ['residential', 'rotating-isp', 'rotating-dc', 'web-unblocker'] as const;
export type Product = (typeof products)[number];

export const isProduct = (text: string): text is Product => (products as readonly string[]).includes(text);

/** Decimal units of bytes, each with its number of zeros. */
export const unitDigits = { Kb: 3, Mb: 6, Gb: 9, Tb: 12 } as const;
export type Unit = keyof typeof unitDigits;

/** The code for an unknown country (ISO 3166-1 alpha-2). */
export const unknownCountry = 'ZZ';

/** The key of a byte counter. `day` is a UTC day, YYYY-MM-DD. */
export interface MeterKey {
  accountId: string;
  product: Product;
  country: string;
  day: string;
}

/** Cumulative since the source started. The store adds the difference, so a report may be sent twice. */
export interface MeterCounter extends MeterKey {
  bytes: bigint;
}

export interface MeterReport {
  /** One run of one metering process. */
  source: string;
  counters: readonly MeterCounter[];
}

/** What the metered proxy needs from the store. */
export interface MeterBackend {
  /** Returns undefined for an unknown user, a wrong password or a suspended account. */
  authenticate(user: string, password: string): Promise<{ accountId: string } | undefined>;
  /** Returns which of these accounts may no longer use the proxy: suspended or deleted. */
  refused(accountIds: readonly string[]): Promise<string[]>;
  report(report: MeterReport): Promise<void>;
  /** The store's time, which decides the day; undefined for this machine's. */
  now?: () => number;
}
