import { createBody } from './create-params.ts';
import { PageError } from './errors.ts';
import type { PageOptions } from './options.ts';
import type { PageBytes, PageJson, PageText } from './page-answers.ts';
import { type PageFormat, pageParameterNames } from './page-options.ts';
import { isObject } from './transport/answer-error.ts';
import { type BytesAnswer, notFromGateway, type Transport } from './transport/transport.ts';

/** Longer than a page may take, with the waits for a slot, a browser and a model. */
const defaultTimeoutMs = 280_000;

/**
 * One call, one page: each opens a session, loads a page, reads it and closes the session. With `sessionId`, it acts on
 * a session that runs, and leaves it open.
 */
export class Pages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Takes a picture, a PNG unless `screenshotOptions` says otherwise. */
  async screenshot(options: PageOptions): Promise<PageBytes> {
    return readBytes(await this.#call('/screenshot', options));
  }

  /** Prints the page to PDF. */
  async pdf(options: PageOptions): Promise<PageBytes> {
    return readBytes(await this.#call('/pdf', options));
  }

  /** Reads the HTML after scripts ran. A target that is no HTML comes as it is. */
  async content(options: PageOptions): Promise<PageText> {
    return withText(readBytes(await this.#call('/content', options)));
  }

  /** Reads the main content as Markdown. */
  async markdown(options: PageOptions): Promise<PageText> {
    return withText(readBytes(await this.#call('/markdown', options)));
  }

  /** Lists the links. */
  async links(options: PageOptions): Promise<PageJson<'links'>> {
    return readJson(await this.#call('/links', options));
  }

  /** Reads the elements that `elements` names. */
  async scrape(options: PageOptions & Required<Pick<PageOptions, 'elements'>>): Promise<PageJson<'scrape'>> {
    return readJson(await this.#call('/scrape', options));
  }

  /** Reads the HTML and a picture from one load. */
  async snapshot(options: PageOptions): Promise<PageJson<'snapshot'>> {
    return readJson(await this.#call('/snapshot', options));
  }

  /** Reads the accessibility tree. */
  async accessibility(options: PageOptions): Promise<PageJson<'accessibility'>> {
    return readJson(await this.#call('/accessibility', options));
  }

  /** Makes JSON of the page, by the account's own model: `results.json` fits the schema. */
  async json(
    options: PageOptions & { schema: object; prompt?: string },
  ): Promise<PageJson<never> & { results: { json: unknown } }> {
    const { schema, prompt } = options;
    const more = { schema, ...(prompt === undefined ? {} : { prompt }) };
    return readJson(await this.#call('/json', options, more));
  }

  /** Reads a page in several formats, from one load. */
  async read<Format extends PageFormat>(
    options: PageOptions & { formats: readonly Format[] },
  ): Promise<PageJson<Format>> {
    return readJson(await this.#call('', options, { formats: options.formats }));
  }

  #call(path: string, options: PageOptions, more: object = {}): Promise<BytesAnswer> {
    const { sessionId, idempotencyKey = globalThis.crypto.randomUUID() } = options;
    const given = pageParameterNames.filter((name) => options[name] !== undefined);
    const body = {
      ...createBody(options),
      ...Object.fromEntries(given.map((name) => [name, options[name]])),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...more,
    };
    const request = {
      path: `/api/page${path}`,
      method: 'POST',
      body,
      defaultTimeoutMs,
      takesProxy: sessionId === undefined,
    } as const;
    if (sessionId === undefined) {
      const headers = { 'idempotency-key': idempotencyKey };
      return this.#transport.bytes({ ...request, headers, purpose: 'page' }, options);
    }
    // There is no key for a call on a session, and a second one would act on its page again.
    return this.#transport.bytes({ ...request, purpose: 'session' }, { ...options, retries: 0 });
  }
}

function readBytes({ headers, data }: BytesAnswer): PageBytes {
  const sessionId = headers.get('x-session-id');
  const url = headers.get('x-page-url');
  if (sessionId === null || url === null) throw notFromGateway({ status: 200, text: '' });
  const [status, bytes] = [numberOf(headers, 'x-page-status'), numberOf(headers, 'x-bytes')];
  const fileName = fileNameOf(headers);
  return {
    sessionId,
    ...(status === undefined ? {} : { status }),
    url,
    browserMs: numberOf(headers, 'x-browser-ms') ?? 0,
    ...(bytes === undefined ? {} : { bytes }),
    contentType: headers.get('content-type') ?? '',
    ...(fileName === undefined ? {} : { fileName }),
    data,
  };
}

function numberOf(headers: Headers, name: string): number | undefined {
  const text = headers.get(name) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function fileNameOf(headers: Headers): string | undefined {
  const [, name] =
    /^attachment; filename\*=UTF-8''(.*)$/.exec(headers.get('content-disposition') ?? '') ?? [];
  try {
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch {
    return name;
  }
}

function withText(page: PageBytes): PageText {
  const [, charset = 'utf-8'] = /charset="?([\w-]+)/i.exec(page.contentType) ?? [];
  return { ...page, text: decoderOf(charset).decode(page.data) };
}

/** A page may name a charset that there is not. */
function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function readJson<Json extends PageJson<never>>({ headers, data }: BytesAnswer): Json {
  if (fileNameOf(headers) !== undefined) {
    const sessionId = headers.get('x-session-id') ?? undefined;
    throw new PageError('The address is a download. Get the file with `content`.', {
      statusCode: 200,
      sessionId,
    });
  }
  const text = new TextDecoder().decode(data);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (!isObject(value) || typeof value['sessionId'] !== 'string' || !isObject(value['results']))
    throw notFromGateway({ status: 200, text });
  return value as unknown as Json;
}
