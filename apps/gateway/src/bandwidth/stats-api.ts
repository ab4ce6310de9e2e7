import { products, unitDigits } from '@turnpike/contract/bandwidth';
import {
  BandwidthCountries,
  BandwidthSeries,
  BandwidthSummary,
} from '@turnpike/contract/dashboard/account-pages';
import { Type } from 'typebox';
import type { ApiDescription } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of interface B. */

const day = (description: string) => Type.String({ format: 'date', description });
const range = Type.Object({
  from: day('First UTC day, YYYY-MM-DD'),
  to: Type.Optional(day('Last UTC day, inclusive; at most 366 days. Default: today')),
  unit: Type.Optional(
    Type.Enum(Object.keys(unitDigits), {
      default: 'Gb',
      description: 'Decimal units of bytes: 1 Kb is 10³ bytes, 1 Mb 10⁶, 1 Gb 10⁹, 1 Tb 10¹²',
    }),
  ),
});

const json = (data: Type.TSchema, example: unknown, date = false) => ({
  'application/json': {
    schema: Type.Object({
      status: Type.Literal('SUCCESS'),
      ...(date ? { date: Type.String({ description: 'HTTP date' }) } : {}),
      data,
    }),
    example: { status: 'SUCCESS', ...(date ? { date: 'Sun, 15 Nov 2026 12:00:00 GMT' } : {}), data: example },
  },
});

const common = {
  tag: 'Statistics',
  security: ['statsToken'],
  params: Type.Object({ product: Type.Enum(products) }),
  errors: ['notFound', 'badRequest'],
} as const;

const asked = { product: 'residential', unit: 'Gb', from: '2026-11-14', to: '2026-11-15' };

export const summaryApi: ApiDescription = {
  ...common,
  id: 'getBandwidthSummary',
  summary: 'Read the last 30 days of a product',
  answers: {
    200: {
      description: 'Always in Gb. Values are exact decimals of the byte count.',
      content: json(
        BandwidthSummary,
        { ...asked, from: '2026-10-17', window_days: 30, total_value: 12.5, today_value: 0.25 },
        true,
      ),
    },
  },
  errors: ['notFound'],
};

export const seriesApi: ApiDescription = {
  ...common,
  id: 'getBandwidth',
  summary: 'Read a product by day',
  query: range,
  answers: {
    200: {
      description: 'An element for every day of the range, zeros included.',
      content: json(BandwidthSeries, {
        ...asked,
        series: [
          { traffic_date: '2026-11-14', total_value: 0 },
          { traffic_date: '2026-11-15', total_value: 0.25 },
        ],
      }),
    },
  },
};

export const csvApi: ApiDescription = {
  ...common,
  id: 'getBandwidthCsv',
  summary: 'Read a product by day, as CSV',
  description: 'Failures are JSON envelopes: check the content type before parsing.',
  query: range,
  answers: {
    200: {
      description: 'A header line, and a row for every day.',
      headers: Type.Object({ 'content-disposition': Type.String({ description: 'A file name' }) }),
      content: {
        'text/csv': {
          schema: Type.String({ pattern: '^traffic_date,total_value\\n(\\d{4}-\\d\\d-\\d\\d,[\\d.]+\\n)+$' }),
          example: 'traffic_date,total_value\n2026-11-14,0\n2026-11-15,0.25\n',
        },
      },
    },
  },
};

export const countriesApi: ApiDescription = {
  ...common,
  id: 'getBandwidthByCountry',
  summary: 'Read a product by country',
  description: '`residential` only; other products are 404.',
  query: range,
  answers: {
    200: {
      description: 'By ISO 3166-1 code, largest first. `ZZ` is an unknown country.',
      content: json(BandwidthCountries, { ...asked, countries: [{ country: 'DE', total_value: 0.25 }] }),
    },
  },
};
