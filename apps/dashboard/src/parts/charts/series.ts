import { type Product, products } from '@turnpike/contract/bandwidth';

/** A product has the same colour on every page. */
export const seriesColor = (product: Product): string => `var(--series-${products.indexOf(product) + 1})`;
