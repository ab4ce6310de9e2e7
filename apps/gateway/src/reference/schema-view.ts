import type { JsonSchema, OpenApiDocument } from '../http/openapi/openapi.ts';
import { type Html, html, inline } from './html.ts';

/** How JSON schemas are shown to people. */
export class SchemaView {
  readonly #document: OpenApiDocument;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** A word or two on what a value is. */
  type(schema: JsonSchema): Html {
    const { $ref, anyOf, type, items } = schema;
    if (typeof $ref === 'string') {
      const name = $ref.split('/').at(-1) ?? '';
      return html`<a href="#schema-${name}">${name}</a>`;
    }
    if (Array.isArray(anyOf)) {
      return html`${anyOf.map((each: JsonSchema, i) => [i > 0 && ' or ', this.type(each)])}`;
    }
    if (Array.isArray(schema['enum'])) return choices(schema['enum']);
    if ('const' in schema) return choices([schema['const']]);
    if (type === 'array') return html`list of ${this.type(items as JsonSchema)}`;
    return html`${String(type ?? 'anything')}`;
  }

  /** Its members, one a row. */
  members(schema: JsonSchema): Html {
    const found = this.#resolve(schema);
    const properties = Object.entries((found['properties'] ?? {}) as Record<string, JsonSchema>);
    if (properties.length === 0) return html``;
    const required = new Set((found['required'] as string[] | undefined) ?? []);
    return html`<table>
      <tbody>${properties.map(([name, property]) => this.row(name, property, required.has(name)))}</tbody>
    </table>`;
  }

  row(name: string, schema: JsonSchema, required: boolean, description = schema['description']): Html {
    const inner = isNested(schema) ? this.members(schema) : html``;
    return html`<tr>
      <th scope="row"><code>${name}</code>${required ? '' : html`<small>optional</small>`}</th>
      <td>
        <span class="type">${this.type(schema)}${limits(schema)}</span>
        ${typeof description === 'string' && html`<p>${inline(description)}</p>`}${inner}
      </td>
    </tr>`;
  }

  #resolve(schema: JsonSchema): JsonSchema {
    const items = schema['items'] as JsonSchema | undefined;
    if (items) return this.#resolve(items);
    const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
    return name ? (this.#document.components.schemas[name] ?? {}) : schema;
  }
}

/** What a reference leads to is shown in its own place. */
const isNested = (schema: JsonSchema): boolean =>
  'properties' in schema || 'properties' in ((schema['items'] as JsonSchema | undefined) ?? {});

const choices = (values: readonly unknown[]): Html =>
  html`${values.map((value, i) => [i > 0 && ' | ', html`<code>${String(value)}</code>`])}`;

function limits(schema: JsonSchema): string {
  const { minimum, maximum, format } = schema;
  const parts = [
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    minimum === undefined && maximum !== undefined && `at most ${maximum}`,
    minimum !== undefined && maximum === undefined && minimum !== 0 && `at least ${minimum}`,
    format !== undefined && `${format}`,
    schema['default'] !== undefined && `default ${String(schema['default'])}`,
  ];
  return parts
    .filter((part) => part !== false)
    .map((part) => `, ${part}`)
    .join('');
}
