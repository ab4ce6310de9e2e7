/** HTML that is safe to send: whatever is put into it is text, unless it is HTML already. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Insertable = Html | string | number | false | undefined | readonly Insertable[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function write(value: Insertable): string {
  if (value instanceof Html) return value.text;
  if (value === undefined || value === false) return '';
  if (typeof value === 'object') return value.map(write).join('');
  return String(value).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

export function html(strings: TemplateStringsArray, ...values: Insertable[]): Html {
  return new Html(strings.reduce((text, part, i) => text + write(values[i - 1]) + part));
}

/** Paragraphs of text with `code` in it. */
export const prose = (text: string): Html =>
  html`${text.split('\n\n').map((p) => html`<p>${inline(p)}</p>`)}`;

export const inline = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;
