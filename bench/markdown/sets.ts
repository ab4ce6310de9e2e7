import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const unzip = promisify(gunzip);

/** A page of a set, and the text that people say is its main content. */
export interface SetPage {
  id: string;
  url: string;
  /** What kind of page it is, where the set says. */
  kind: string;
  truth: string;
  html(): Promise<Buffer>;
}

/** scrapinghub/article-extraction-benchmark: 181 articles of news sites and blogs. */
export async function articleSet(directory: string): Promise<SetPage[]> {
  const truths = JSON.parse(await readFile(join(directory, 'ground-truth.json'), 'utf8')) as Record<
    string,
    { articleBody: string; url: string }
  >;
  return Object.entries(truths).map(([id, { articleBody, url }]) => ({
    id,
    url,
    kind: 'article',
    truth: articleBody,
    html: async () => await unzip(await readFile(join(directory, 'html', `${id}.html.gz`))),
  }));
}

interface WebPage {
  url: string;
  _internal?: { page_type?: { primary?: string } };
  ground_truth: { main_content?: string };
}

/** Murrough-Foley/web-content-extraction-benchmark (WCXB): pages of seven kinds, in two parts. */
export async function webSet(directory: string, part: string): Promise<SetPage[]> {
  const files = (await readdir(join(directory, part, 'ground-truth'))).sort();
  return await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(directory, part, 'ground-truth', file), 'utf8');
      const { url, _internal, ground_truth } = JSON.parse(text) as WebPage;
      const id = file.replace('.json', '');
      const kind = _internal?.page_type?.primary ?? 'article';
      return {
        id,
        url,
        kind: kind === 'category' ? 'collection' : kind,
        truth: ground_truth.main_content ?? '',
        html: async () => await unzip(await readFile(join(directory, part, 'html', `${id}.html.gz`))),
      };
    }),
  );
}
