import { Radio } from '@mantine/core';
import type { Product } from '@turnpike/contract/bandwidth';
import type { BandwidthSummary } from '@turnpike/contract/dashboard/account-pages';
import { gigabytes, productNames } from '../parts/values/figures.ts';

interface ProductPickerProps {
  summaries: readonly BandwidthSummary[];
  product: Product;
  onPick: (product: string) => void;
}

/** Selects a product, with the totals of each. */
export function ProductPicker({ summaries, product, onPick }: ProductPickerProps) {
  return (
    <Radio.Group value={product} onChange={onPick} aria-label="Product">
      <div className="figures">
        {summaries.map(({ product: each, total_value, today_value }) => (
          <Radio.Card key={each} value={each} className="product-card">
            <span className="figure-name with-icon">
              <Radio.Indicator size="xs" />
              {productNames[each]}
            </span>
            <span className="figure-value">{gigabytes(total_value)}</span>
            <span className="figure-note">30 days · {gigabytes(today_value)} today</span>
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  );
}
