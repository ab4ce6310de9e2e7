import { Button, NativeSelect } from '@mantine/core';
import { isProduct, type Product, type Unit, unitDigits } from '@turnpike/contract/bandwidth';
import { useSearchParams } from 'react-router';
import { useGet } from '../api/queries.ts';
import { downloadUrl } from '../api/request.ts';
import { ChartCard } from '../parts/charts/chart-card.tsx';
import { seriesColor } from '../parts/charts/series.ts';
import { otherFailure } from '../parts/forms/field-errors.ts';
import { Icon } from '../parts/icons.tsx';
import { Page } from '../parts/page.tsx';
import { Loaded, Loading, Problem } from '../parts/states.tsx';
import { type DayRange, DayRangeInputs, useDayRange } from '../parts/tables/day-range.tsx';
import { productNames } from '../parts/values/figures.ts';
import { dayName } from '../parts/values/time.tsx';
import { Countries } from './countries.tsx';
import { inUnit, unitNames } from './in-unit.ts';
import { ProductPicker } from './product-picker.tsx';

const units = Object.keys(unitDigits) as Unit[];

export function Bandwidth() {
  const [params, setParams] = useSearchParams();
  const [range, setRange] = useDayRange();
  const chosen = params.get('product') ?? '';
  const product: Product = isProduct(chosen) ? chosen : 'residential';
  const unit = units.find((known) => known === params.get('unit')) ?? 'Gb';
  const set = (name: string, value: string) =>
    setParams(
      (previous) => {
        previous.set(name, value);
        return previous;
      },
      { replace: true },
    );
  const summaries = useGet('/bandwidth');
  const query = { ...range, unit };
  const series = useGet('/bandwidth/:product', { params: { product }, query });
  return (
    <Page
      title="Bandwidth"
      about="Traffic of the proxy products, up and down together, by UTC day. The same figures as the statistics API."
    >
      <div className="stack">
        <Loaded query={summaries}>
          {({ products }) => (
            <ProductPicker summaries={products} product={product} onPick={(value) => set('product', value)} />
          )}
        </Loaded>
        <search className="filters" aria-label="Days and unit to show">
          <DayRangeInputs range={range} onChange={setRange} error={series.error} />
          <NativeSelect
            label="Unit"
            value={unit}
            data={units.map((value) => ({ value, label: unitNames[value] }))}
            onChange={(event) => set('unit', event.currentTarget.value)}
          />
          <Button
            component="a"
            href={downloadUrl('/bandwidth/:product/csv', { params: { product }, query })}
            download
            variant="default"
            leftSection={<Icon name="download" size={16} />}
          >
            Download CSV
          </Button>
        </search>
        <Series product={product} range={range} unit={unit} series={series} />
        {product === 'residential' && !series.error && <Countries range={range} unit={unit} />}
      </div>
    </Page>
  );
}

interface SeriesProps {
  product: Product;
  range: DayRange;
  unit: Unit;
  series: ReturnType<typeof useGet<'/bandwidth/:product'>>;
}

function Series({ product, range, unit, series: { data, error, refetch } }: SeriesProps) {
  if (error) {
    const rest = otherFailure(error, ['from', 'to']);
    return rest && <Problem error={rest} onRetry={() => void refetch()} />;
  }
  if (!data) return <Loading lines={8} />;
  const total = data.series.reduce((sum, { total_value }) => sum + total_value, 0);
  return (
    <ChartCard
      title={`${productNames[product]} by day`}
      about={`${inUnit(total, unit)} from ${dayName(range.from, { year: true })} to ${dayName(range.to, { year: true })}`}
      label={`${productNames[product]} bandwidth by day, in ${unitNames[unit]}`}
      name="Bandwidth"
      emptyText="No traffic in this period"
      days={data.series.map(({ traffic_date, total_value }) => ({ day: traffic_date, value: total_value }))}
      format={(value) => inUnit(value, unit)}
      color={seriesColor(product)}
    />
  );
}
