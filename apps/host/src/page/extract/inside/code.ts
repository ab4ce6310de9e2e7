import { fenced } from './escape.ts';

/** What highlighters put beside the code. */
const notCode =
  '.lineno, .linenos, .lnt, .line-number, .line-numbers-rows, .hljs-ln-numbers, .gutter, .linenumber, .react-syntax-highlighter-line-number, .code-copy, .copy-button, button, .copybtn, [aria-hidden="true"].line-numbers';

const languageNames = /^(?:language|lang|highlight-source|highlight|brush|code|source)[-:]/i;
const notLanguages = new Set(
  'none,default,text,plain,plaintext,highlight,source,block,wrapper,container,toolbar,undefined,nohighlight,notranslate'.split(
    ',',
  ),
);

/** Makes code in a copy of a page plain, so that whatever looks for the main content leaves its language. */
export function simplifyCode(root: Element): void {
  for (const pre of [...root.querySelectorAll('pre')].slice(0, 20_000)) {
    if (pre.querySelector('pre, img, table, h1, h2, h3')) continue;
    const { text, language } = codeOf(pre);
    if (text === '') continue;
    const code = root.ownerDocument.createElement('code');
    code.textContent = text;
    if (language !== '') {
      code.setAttribute('class', `language-${language}`);
      code.setAttribute('data-lang', language);
    }
    const made = root.ownerDocument.createElement('pre');
    made.append(code);
    pre.replaceWith(made);
  }
}

/** A fenced block of an element that shows code. */
export function codeBlock(pre: Element): string {
  const { text, language } = codeOf(pre);
  return text === '' ? '' : fenced(text, language);
}

function codeOf(pre: Element): { text: string; language: string } {
  const copy = pre.cloneNode(true) as Element;
  for (const part of copy.querySelectorAll(notCode)) part.remove();
  for (const end of copy.querySelectorAll('br')) end.replaceWith('\n');
  // Lines that are blocks have no line ends between them.
  for (const line of copy.querySelectorAll('div, p, li, tr')) {
    if (line.nextElementSibling && !line.textContent?.endsWith('\n')) line.append('\n');
  }
  const text = (copy.textContent ?? '')
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
  return text.trim() === '' ? { text: '', language: '' } : { text, language: languageOf(pre) };
}

/** The language that the code's own element names, or one above or in it. */
function languageOf(pre: Element): string {
  const candidates = [pre.querySelector('code'), pre, pre.parentElement, pre.parentElement?.parentElement];
  for (const element of candidates) {
    if (!element) continue;
    const named =
      element.getAttribute('data-lang') ?? element.getAttribute('data-language') ?? languageInClass(element);
    const language = named?.toLowerCase();
    if (language && /^[\w+#.-]{1,30}$/.test(language) && !notLanguages.has(language)) return language;
  }
  return '';
}

function languageInClass(element: Element): string | undefined {
  const names = (element.getAttribute('class') ?? '').split(/\s+/);
  for (const [index, name] of names.entries()) {
    const mark = languageNames.exec(name)?.[0];
    // SyntaxHighlighter writes `brush: js;`.
    if (mark) return (name.slice(mark.length) || names[index + 1])?.replace(/;$/, '');
  }
  if (!names.includes('hljs') && !names.includes('sourceCode')) return undefined;
  return names.find(
    (name) => /^[a-z+#]{1,20}$/i.test(name) && !/^(?:hljs|sourceCode|numberLines|code)$/.test(name),
  );
}
