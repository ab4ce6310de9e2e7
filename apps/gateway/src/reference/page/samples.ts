import { fillIn, masked, replacements, type Values } from './fill-in.ts';

interface Sample {
  code: HTMLElement;
  /** As the page came. */
  original: Node[];
  text: string;
  language: string;
}

const samples: Sample[] = [];
let current: Values = {};

/** Adds a copy button to every sample. */
export function startSamples(): void {
  for (const box of document.querySelectorAll<HTMLElement>('.sample')) {
    const code = box.querySelector('code');
    if (!code) continue;
    const sample = {
      code,
      original: [...code.childNodes].map((node) => node.cloneNode(true)),
      text: code.textContent ?? '',
      language: box.dataset['language'] ?? '',
    };
    samples.push(sample);
    box.prepend(copyButton(() => fillIn(sample.text, sample.language, current)));
  }
}

/** Shows all samples with these values. What is secret is shown in part, and copied in full. */
export function showValues(values: Values): void {
  current = { ...current, ...values };
  for (const { code, original, text, language } of samples) {
    code.replaceChildren(...original.map((node) => node.cloneNode(true)));
    // From the last to the first, so that places stay where they are.
    for (const { start, end, text: shown } of replacements(text, language, masked(current)).reverse()) {
      replaceText(code, start, end, shown);
    }
  }
}

/** Replaces a part of an element's text, which may begin and end in different elements inside it. */
function replaceText(element: HTMLElement, start: number, end: number, text: string): void {
  const range = document.createRange();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let offset = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { length } = node as Text;
    if (start >= offset && start < offset + length) range.setStart(node, start - offset);
    if (end > offset && end <= offset + length) range.setEnd(node, end - offset);
    offset += length;
  }
  const mark = document.createElement('mark');
  mark.textContent = text;
  range.deleteContents();
  range.insertNode(mark);
}

function copyButton(read: () => string): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    button.textContent = (await copyText(read())) ? 'Copied' : 'Not copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
}

/** Copies also where there is no TLS and the page's clipboard is therefore closed. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'off-screen';
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}
