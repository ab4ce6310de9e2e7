import type { Bandwidth, Countries, Product, Summary } from './answers.ts';
import type { CallOptions, RangeOptions } from './options.ts';
import { jsonOf, notFromGateway, type Transport } from './transport/transport.ts';

/** Bandwidth statistics of the account that the token belongs to. */
export class Stats {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Total of the last 30 days, in Gb. */
  summary(product: Product, options: CallOptions = {}): Promise<Summary> {
    return this.#data(product, 'summary', options);
  }

  /** Daily totals. */
  bandwidth(product: Product, options: RangeOptions): Promise<Bandwidth> {
    return this.#data(product, 'bandwidth', options);
  }

  /** Daily totals as CSV, with a header line. */
  async bandwidthCsv(product: Product, options: RangeOptions): Promise<string> {
    return (await this.#transport.call(request(product, 'bandwidth.csv', options), options)).text;
  }

  /** Totals by country; only `residential` has them. */
  countries(product: Product, options: RangeOptions): Promise<Countries> {
    return this.#data(product, 'countries', options);
  }

  async #data<T>(product: Product, kind: string, options: CallOptions): Promise<T> {
    const answer = await this.#transport.call(request(product, kind, options), options);
    const { data } = jsonOf(answer) as { data?: T };
    if (!data) throw notFromGateway(answer);
    return data;
  }
}

function request(product: Product, kind: string, options: Partial<RangeOptions>) {
  const { from, to, unit } = options;
  return { path: `/api/users/stats/${encodeURIComponent(product)}/${kind}`, query: { from, to, unit } };
}
