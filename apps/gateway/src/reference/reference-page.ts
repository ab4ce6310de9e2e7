import type { Answer, MediaType, OpenApiDocument, Operation, Parameter } from '../http/openapi.ts';
import { curlExample } from './curl-example.ts';
import { type Html, html, inline, prose } from './html.ts';
import { SchemaView } from './schema-view.ts';

interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

/** The API's reference for people: one page, no script, nothing from elsewhere. */
export function referencePage(document: OpenApiDocument): string {
  const view = new SchemaView(document);
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const byTag = document.tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const page = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${document.info.title} API reference</title>
    <link rel="stylesheet" href="/docs/style.css" />
  </head>
  <body>
    <nav aria-label="Contents">
      <a class="brand" href="#top">${document.info.title}</a>
      ${byTag.map(
        ({ name, entries }) => html`<h2><a href="#tag-${name}">${name}</a></h2>
          <ul>${entries.map(link)}</ul>`,
      )}
      <h2><a href="#authentication">Authentication</a></h2>
      <h2><a href="#schemas">Schemas</a></h2>
      <h2><a href="/openapi.json">openapi.json</a></h2>
    </nav>
    <main id="top">
      <header><h1>${document.info.title} API</h1>${prose(document.info.description)}</header>
      ${byTag.map(
        ({ name, description, entries }) => html`<section class="tag" id="tag-${name}">
          <h2>${name}</h2><p>${inline(description)}</p>
          ${entries.map((entry) => operationView(entry, view))}
        </section>`,
      )}
      ${authentication(document)}${schemas(document, view)}
    </main>
  </body>
</html>
`;
  return page.text;
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
    <h3><a href="#${operationId}">${summary}</a></h3>
    <p class="route"><b class="${method}">${method}</b> <code>${path}</code></p>
    ${description && prose(description)}
    <pre>${curlExample(method, path, operation)}</pre>
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
      ${example !== undefined && html`<pre>${typeof example === 'string' ? example : JSON.stringify(example, null, 2)}</pre>`}`,
  )}`;
}

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
        <h3><a href="#schema-${name}">${name}</a></h3>
        ${typeof schema['description'] === 'string' && prose(schema['description'])}
        ${view.members(schema)}
      </article>`,
    )}
  </section>`;
}
