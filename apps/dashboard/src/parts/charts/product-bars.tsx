import type { Overview } from '@turnpike/contract/dashboard/account-pages';
import { gigabytes, productNames } from '../values/figures.ts';
import { BarList } from './bar-list.tsx';
import { seriesColor } from './series.ts';

/** Bandwidth of the last 30 days, a bar for each product. */
export function ProductBars({ bandwidth }: Pick<Overview, 'bandwidth'>) {
  return (
    <BarList
      label="Bandwidth of the last 30 days by product"
      bars={bandwidth.map(({ product, total_value, today_value }) => ({
        key: product,
        name: productNames[product],
        value: total_value,
        text: gigabytes(total_value),
        note: `${gigabytes(today_value)} today`,
        color: seriesColor(product),
      }))}
    />
  );
}
