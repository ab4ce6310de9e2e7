import { startSamples } from './samples.ts';
import { startSearch } from './search.ts';
import { startTry } from './try.ts';
import { startValues } from './values.ts';

startSamples();
startValues();
startSearch();
startTheme();
void startTry();

// The documents name the address of a service that was just started; links to it lead here already.
for (const link of document.querySelectorAll('main a')) {
  const text = link.textContent ?? '';
  if (text.startsWith('http://127.0.0.1:8080'))
    link.textContent = text.replace('http://127.0.0.1:8080', location.origin);
}

/** The button that changes between light and dark. The dashboard has the same choice. */
function startTheme(): void {
  const button = document.querySelector<HTMLElement>('#theme');
  if (!button) return;
  const { dataset } = document.documentElement;
  const isDark = () =>
    (dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const tell = () => button.setAttribute('aria-pressed', String(isDark()));
  button.addEventListener('click', () => {
    dataset['theme'] = isDark() ? 'light' : 'dark';
    localStorage.setItem('mantine-color-scheme-value', dataset['theme']);
    tell();
  });
  button.hidden = false;
  tell();
}
