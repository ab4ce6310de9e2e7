import { isProduct, type Product, products } from './bandwidth.ts';

/** A proxy user name with its options: `u1a2b3c-product-residential-country-us`. */
export interface ProxyUser {
  user: string;
  product: Product;
  /** Upper case; undefined if any. */
  country: string | undefined;
}

export type ParsedProxyUser = { ok: true; value: ProxyUser } | { ok: false; rule: string };

const defaultProduct: Product = 'residential';

/** Parses the user name. Options may be in any order, each once. */
export function parseProxyUser(text: string): ParsedProxyUser {
  const refuse = (rule: string): ParsedProxyUser => ({ ok: false, rule });
  const match = /^([A-Za-z0-9]+)((?:-(?:product|country)-.+)?)$/.exec(text);
  if (!match?.[1]) return refuse('the user name must be letters and digits, then -product-… and -country-…');
  const options = (match[2] ?? '').split(/-(?=(?:product|country)-)/).slice(1);
  const given = new Map(
    options.map((option) => [option.slice(0, option.indexOf('-')), option.slice(option.indexOf('-') + 1)]),
  );
  if (given.size !== options.length) return refuse('an option of the user name is given twice');
  const product = given.get('product') ?? defaultProduct;
  if (!isProduct(product)) return refuse(`the product must be one of ${products.join(', ')}`);
  const country = given.get('country');
  if (country !== undefined && !/^[A-Za-z]{2}$/.test(country))
    return refuse('the country must be two letters');
  return { ok: true, value: { user: match[1], product, country: country?.toUpperCase() } };
}
