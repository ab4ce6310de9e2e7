import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Rendered, Section } from './markdown.ts';

export interface Guide {
  /** From the repository's root. */
  file: string;
  url: string;
  title: string;
}

export interface GuideGroup {
  title: string;
  entries: readonly Pick<Guide, 'url' | 'title'>[];
}

/** Documents beside the folder `docs` that are served with it. */
const rootFiles = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];

/** The address in the documents, which is that of a service that was just started. */
const documentedOrigin = 'http://127.0.0.1:8080';

/**
 * The documents of `docs/`, and what people are told about them. Only their names and titles are kept here. Those
 * that are missing, as in an installation without documents, are not listed.
 */
export class GuideLibrary {
  readonly guides: readonly Guide[];
  readonly groups: readonly GuideGroup[];
  readonly images: ReadonlySet<string>;
  readonly #root: string;
  readonly #urls: ReadonlyMap<string, string>;

  private constructor(root: string, guides: readonly Guide[], images: readonly string[], overview: string) {
    this.#root = root;
    this.guides = guides;
    this.images = new Set(images);
    this.#urls = new Map([
      ...guides.map(({ file, url }) => [file, url] as const),
      ...images.map((name) => [`docs/images/${name}`, `/docs/images/${name}`] as const),
      ['docs/openapi.json', '/openapi.json'],
    ]);
    this.groups = this.#readGroups(overview);
  }

  static async open(root: string): Promise<GuideLibrary> {
    const names = async (folder: string) => (await readdir(join(root, folder)).catch(() => [])).sort();
    const inFolder = async (folder: string) =>
      (await names(folder)).filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`);
    const files = [...(await inFolder('docs')), ...(await inFolder('docs/decisions'))];
    if (files.length > 0) files.push(...(await names('.')).filter((name) => rootFiles.includes(name)));
    const guides = await Promise.all(
      files.map(async (file) => {
        const [, title = file] = /^# (.+)$/m.exec(await readFile(join(root, file), 'utf8')) ?? [];
        return { file, url: urlOf(file), title };
      }),
    );
    const overview = files.includes('docs/README.md')
      ? await readFile(join(root, 'docs/README.md'), 'utf8')
      : '';
    return new GuideLibrary(root, guides, await names('docs/images'), overview);
  }

  find(url: string): Guide | undefined {
    return this.guides.find((guide) => guide.url === url);
  }

  async render({ file }: Guide): Promise<Rendered> {
    // Loaded when somebody reads: most gateways serve no guide for most of their lives.
    const { renderMarkdown } = await import('./markdown.ts');
    const text = await readFile(join(this.#root, file), 'utf8');
    return renderMarkdown(text, (href) => this.resolve(file, href));
  }

  async sections({ file }: Guide): Promise<Section[]> {
    const { sectionsOf } = await import('./markdown.ts');
    return sectionsOf(await readFile(join(this.#root, file), 'utf8'));
  }

  /** Returns where a link in a document leads on these pages; undefined if it is not served. */
  resolve(file: string, href: string): string | undefined {
    if (href.startsWith('#')) return href;
    if (href.startsWith(documentedOrigin)) return href.slice(documentedOrigin.length) || '/';
    if (/^[a-z]+:/.test(href)) return href;
    const [path = '', anchor] = href.split('#', 2);
    const url = this.#urls.get(posix.join(posix.dirname(file), path));
    return url && (anchor === undefined ? url : `${url}#${anchor}`);
  }

  /** Reads the groups of the navigation from docs/README.md: a line in bold, and the links below it. */
  #readGroups(overview: string): GuideGroup[] {
    return overview.split(/^\*\*(?=.+\*\*$)/m).flatMap((part, i) => {
      const [title = '', list = ''] = part.split('**\n', 2);
      const links = [...list.matchAll(/\[([^[\]]+)\]\(([^()\s]+)\)/g)];
      const entries = links.flatMap(([, name = '', href = '']) => {
        const url = this.resolve('docs/README.md', href);
        if (url === undefined) return [];
        // A link into a guide is an entry of its own, by its own name.
        return [{ url, title: this.find(url)?.title ?? name }];
      });
      return i === 0 ? [] : [{ title, entries }];
    });
  }
}

/** `docs/README.md` is `/docs`, `docs/files.md` is `/docs/files`, `CHANGELOG.md` is `/docs/changelog`. */
function urlOf(file: string): string {
  const path = file.replace(/\.md$/, '').toLowerCase();
  if (!path.startsWith('docs/')) return `/docs/${path}`;
  return `/${path.replace(/\/readme$/, '')}`;
}
