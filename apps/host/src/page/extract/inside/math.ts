declare const MathMLToLaTeX: { MathMLToLaTeX: { convert(mathml: string): string } };

const maxMathCharacters = 20_000;

/**
 * Replaces formulas of MathML, KaTeX and MathJax in a copy of a page with `math` elements that have the formula in LaTeX
 * in `data-latex`, so that they outlive whatever looks for the main content.
 */
export function simplifyMath(root: Element): void {
  const selector =
    '.katex, mjx-container, .MathJax_Display, .MathJax, script[type^="math/"], .mwe-math-element, math, img.latex, img.tex';
  for (const element of [...root.querySelectorAll(selector)].slice(0, 20_000)) {
    if (!root.contains(element)) continue;
    if (element.matches('.MathJax_Display, .MathJax, .MathJax_Preview') && hasTexScript(element)) {
      element.remove();
      continue;
    }
    const latex = latexOf(element);
    if (latex === undefined) continue;
    const made = root.ownerDocument.createElementNS('http://www.w3.org/1998/Math/MathML', 'math');
    made.setAttribute('data-latex', latex);
    made.setAttribute('display', isDisplayed(element) ? 'block' : 'inline');
    const text = root.ownerDocument.createElementNS('http://www.w3.org/1998/Math/MathML', 'mtext');
    text.textContent = latex;
    made.append(text);
    (element.closest('.katex-display') ?? element).replaceWith(made);
  }
}

/** MathJax 2 keeps the formula in a script that follows what it shows. */
function hasTexScript(element: Element): boolean {
  let next = element.closest('.MathJax_Display')?.nextElementSibling ?? element.nextElementSibling;
  if (next?.matches('.MathJax_Display, .MathJax')) next = next.nextElementSibling;
  return next?.matches('script[type^="math/"]') ?? false;
}

function isDisplayed(element: Element): boolean {
  return (
    element.closest(
      '.katex-display, .MathJax_Display, .mwe-math-fallback-image-display, .mwe-math-mathml-display',
    ) !== null ||
    element.getAttribute('display') === 'true' ||
    element.getAttribute('display') === 'block' ||
    (element.getAttribute('type') ?? '').includes('mode=display') ||
    element.querySelector('math[display="block"], .mwe-math-fallback-image-display') !== null
  );
}

function latexOf(element: Element): string | undefined {
  const known = element.getAttribute('data-latex') ?? element.getAttribute('data-tex');
  const found = known ?? ownLatex(element) ?? fromMathMl(element);
  const latex = found?.replace(/\s+/g, ' ').trim();
  return latex && latex.length <= maxMathCharacters ? latex : undefined;
}

function ownLatex(element: Element): string | undefined {
  if (element.localName === 'script') {
    return /math\/(?:tex|latex)/.test(element.getAttribute('type') ?? '')
      ? (element.textContent ?? undefined)
      : undefined;
  }
  if (element.localName === 'img') return element.getAttribute('alt') ?? undefined;
  const annotation = element.querySelector(
    'annotation[encoding="application/x-tex"], annotation[encoding="TeX"]',
  );
  if (annotation?.textContent) return annotation.textContent;
  const math = element.localName === 'math' ? element : element.querySelector('math');
  const text = math?.getAttribute('alttext');
  return text ? text.replace(/^\{\\displaystyle ([\s\S]*)\}$/, '$1') : undefined;
}

function fromMathMl(element: Element): string | undefined {
  const math = element.localName === 'math' ? element : element.querySelector('math');
  const text =
    math?.outerHTML ??
    element.querySelector('[data-mathml]')?.getAttribute('data-mathml') ??
    element.getAttribute('data-mathml');
  if (!text || text.length > maxMathCharacters) return undefined;
  try {
    return MathMLToLaTeX.MathMLToLaTeX.convert(text);
  } catch {
    return undefined;
  }
}

/** A formula between dollar signs. */
export function mathMarkdown(math: Element, mayBeBlock: boolean): string {
  const latex = latexOf(math) ?? (math.textContent ?? '').replace(/\s+/g, ' ').trim();
  if (latex === '') return '';
  return mayBeBlock && math.getAttribute('display') === 'block' ? `\n\n$$\n${latex}\n$$\n\n` : `$${latex}$`;
}
