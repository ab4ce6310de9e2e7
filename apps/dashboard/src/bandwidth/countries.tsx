import { Button } from '@mantine/core';
import type { Unit } from '@turnpike/contract/bandwidth';
import { useState } from 'react';
import { useGet } from '../api/queries.ts';
import { BarList } from '../parts/charts/bar-list.tsx';
import { Card } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import type { DayRange } from '../parts/tables/day-range.tsx';
import { count, countryName, percent } from '../parts/values/figures.ts';
import { inUnit } from './in-unit.ts';

const first = 12;

export function Countries({ range, unit }: { range: DayRange; unit: Unit }) {
  const countries = useGet('/bandwidth/:product/countries', {
    params: { product: 'residential' },
    query: { ...range, unit },
    keepPrevious: true,
  });
  const [all, setAll] = useState(false);
  return (
    <Card title="By country" about="Residential traffic in the selected period">
      <Loaded query={countries}>
        {({ countries: list }) => {
          if (list.length === 0) return <Empty icon="bandwidth" title="No traffic in this period" />;
          const total = list.reduce((sum, { total_value }) => sum + total_value, 0);
          const shown = all ? list : list.slice(0, first);
          return (
            <>
              <BarList
                label="Residential bandwidth by country"
                bars={shown.map(({ country, total_value }) => ({
                  key: country,
                  name: countryName(country),
                  value: total_value,
                  text: inUnit(total_value, unit),
                  note: percent(total ? total_value / total : 0),
                }))}
              />
              {list.length > first && (
                <Button variant="default" size="xs" mt="md" onClick={() => setAll(!all)}>
                  {all ? 'Show fewer' : `Show all ${count(list.length)}`}
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
