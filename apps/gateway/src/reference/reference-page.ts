import type { Answer, MediaType, OpenApiDocument, Operation, Parameter } from '../http/openapi/openapi.ts';
import { curlExample } from './curl-example.ts';
import type { GuideGroup } from './guide-library.ts';
import { type Html, html, inline, prose } from './html.ts';
import { layout } from './page-layout.ts';
import { sample } from './sample.ts';
import { SchemaView } from './schema-view.ts';

interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

/** Operations that open a session, which a page does as well. */
const creates: ReadonlySet<string> = new Set(['connect', 'createBrowser']);

/** The API's reference for people: all on one page. */
export function referencePage(document: OpenApiDocument, groups: readonly GuideGroup[]): string {
  const view = new SchemaView(document);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const byTag = document.tags.map((tag) => ({
    ...tag,
    entries: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const title = 'API reference';
  const entries = html`<ul class="operations">
      ${byTag.map(({ name, entries }) => html`<li><a href="#tag-${name}">${name}</a><ul>${entries.map(link)}</ul></li>`)}
      <li><a href="#authentication">Authentication</a></li>
      <li><a href="#schemas">Schemas</a></li>
      <li><a href="/openapi.json">openapi.json</a></li>
    </ul>`;
  const content = html`<header><h1>${document.info.title} API</h1>${prose(document.info.description)}</header>
      ${byTag.map(
        ({ name, description, entries }) => html`<section class="tag" id="tag-${name}">
          <h2>${name}</h2><p>${inline(description)}</p>
          ${entries.map((entry) => operationView(entry, view))}
        </section>`,
      )}
      ${authentication(document)}${schemas(document, view)}`;
  return layout({ title, url: '/docs/reference', groups, content, entries });
}

const link = ({ method, path, operation }: Entry): Html =>
  html`<li><a href="#${operation.operationId}" title="${path}"><b class="${method}">${method}</b> ${operation.summary}</a></li>`;

function operationView({ method, path, operation }: Entry, view: SchemaView): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const place = (where: Parameter['in'], title: string) => {
    const found = parameters.filter((parameter) => parameter.in === where);
    return (
      found.length > 0 &&
      html`<h4>${title}</h4><table><tbody>${found.map((p) => view.row(p.name, p.schema, p.required, p.description))}</tbody></table>`
    );
  };
  return html`<article id="${operationId}">
    <h3><a class="self-link" href="#${operationId}">${summary}</a></h3>
    <p class="route"><b class="${method}">${method}</b> <code>${path}</code>${creates.has(operationId) && html` <a href="/docs/try">Try it</a>`}</p>
    ${description && prose(description)}
    ${sample(curlExample(method, path, operation), 'sh')}
    ${place('path', 'Path')}${place('query', 'Query')}${place('header', 'Headers')}
    ${requestBody && html`<h4>Body</h4>${media(requestBody.content, view)}`}
    <h4>Answers</h4>
    ${Object.entries(responses).map(([status, answer]) => answerView(status, answer, view))}
  </article>`;
}

function answerView(status: string, answer: Answer, view: SchemaView): Html {
  const headers = Object.entries(answer.headers ?? {});
  const [first = '', ...more] = answer.description.split('\n\n');
  return html`<details class="answer"${status === '200' && html` open`}>
    <summary><b class="s${status[0]}">${status}</b> ${inline(first)}</summary>
    ${more.map(prose)}
    ${
      headers.length > 0 &&
      html`<h5>Headers</h5><table><tbody>${headers.map(([name, header]) => view.row(name, header.schema, header.required ?? false, header.description))}</tbody></table>`
    }
    ${answer.content && media(answer.content, view)}
  </details>`;
}

function media(content: Record<string, MediaType>, view: SchemaView): Html {
  return html`${Object.entries(content).map(
    ([type, { schema, example }]) => html`<h5>${type} <span class="type">${view.type(schema)}</span></h5>
      ${view.members(schema)}
      ${example !== undefined && exampleView(example)}`,
  )}`;
}

const exampleView = (example: unknown): Html =>
  typeof example === 'string' ? sample(example, 'text') : sample(JSON.stringify(example, null, 2), 'json');

function authentication({ components }: OpenApiDocument): Html {
  const schemes = Object.entries(components.securitySchemes) as [string, { description: string }][];
  return html`<section id="authentication">
    <h2>Authentication</h2>
    <table><tbody>${schemes.map(([name, { description }]) => html`<tr><th scope="row"><code>${name}</code></th><td>${inline(description)}</td></tr>`)}</tbody></table>
  </section>`;
}

function schemas({ components }: OpenApiDocument, view: SchemaView): Html {
  return html`<section id="schemas">
    <h2>Schemas</h2>
    ${Object.entries(components.schemas).map(
      ([name, schema]) => html`<article id="schema-${name}">
        <h3><a class="self-link" href="#schema-${name}">${name}</a></h3>
        ${typeof schema['description'] === 'string' && prose(schema['description'])}
        ${view.members(schema)}
      </article>`,
    )}
  </section>`;
}
