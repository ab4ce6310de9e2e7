import { connectSnippets } from '@turnpike/contract/connect-snippets';
import type { GuideGroup } from './guide-library.ts';
import { html } from './html.ts';
import { layout } from './page-layout.ts';
import { sample } from './sample.ts';

const languages: Readonly<Record<string, string>> = { Python: 'py', Selenium: 'py', curl: 'sh' };

/** A form that opens a session, and code that uses it. page/try.ts calls the dashboard's routes for it. */
export function tryPage(groups: readonly GuideGroup[]): string {
  const snippets = connectSnippets({
    sessionId: '$SESSION_ID',
    cdpUrl: '$CDP_URL',
    webdriverUrl: '$WEBDRIVER_URL',
    gateway: '$TURNPIKE_URL',
  });
  const content = html`<div class="try">
      <h1>Try it</h1>
      <p>
        Open a browser behind a proxy, connect to it and watch it. This is a real session of your account. It counts as
        any other, and ends after its lifetime or when you close it.
      </p>
      <noscript><p>This page needs JavaScript. The <a href="/docs/quick-start">quick start</a> does not.</p></noscript>
      <p id="sign-in-first" hidden></p>
      <form id="try-form" hidden novalidate>
        <label for="try-proxy">Proxy</label>
        <input id="try-proxy" name="proxy" type="password" autocomplete="off" spellcheck="false" placeholder="http://user:password@proxy.example:3128" aria-describedby="try-proxy-help" />
        <p class="hint" id="try-proxy-help">
          Your own proxy, or the one of this service. <a href="/docs/proxies">Which proxies you can use</a>
        </p>
        <p class="actions"><button type="button" data-fill="try-proxy" hidden>Fill in my Turnpike proxy</button></p>
        <div class="fields">
          <p>
            <label for="try-os">Operating system</label>
            <select id="try-os" name="os">
              <option value="windows">Windows</option>
              <option value="macos">macOS</option>
              <option value="linux">Linux</option>
              <option value="android">Android</option>
            </select>
          </p>
          <p>
            <label for="try-lifetime">Lifetime in seconds</label>
            <input id="try-lifetime" name="maxLifetime" inputmode="numeric" value="600" />
          </p>
        </div>
        <p><label><input type="checkbox" name="vnc" checked /> With a live view, to watch and use it by hand</label></p>
        <p class="problem" role="alert"></p>
        <p class="actions">
          <button type="submit" class="primary">Open session</button>
          <a href="/new-session">All parameters</a>
        </p>
      </form>
      <section id="try-session" hidden aria-labelledby="try-session-title">
        <h2 id="try-session-title" tabindex="-1">Your session runs</h2>
        <dl>
          <dt>Session</dt>
          <dd><a id="try-id" href="/sessions"></a></dd>
          <dt>Ends</dt>
          <dd id="try-ends"></dd>
          <dt>Live view</dt>
          <dd><a id="try-view" target="_blank" rel="noopener noreferrer">Watch and use it</a></dd>
        </dl>
        <p class="actions"><button type="button" id="try-close" class="danger">Close session</button></p>
        <p class="problem" role="alert"></p>
        <h3>CDP URL</h3>
        <p>Clients connect to this URL. Keep it secret: anyone who has it can control the browser.</p>
        ${sample('$CDP_URL', 'text')}
        ${snippets.map(
          ({ name, code }) => html`<h3>${name}</h3>
            ${sample(code, languages[name] ?? 'js')}`,
        )}
      </section>
      <p id="try-ended" role="status"></p>
    </div>`;
  return layout({ title: 'Try it', url: '/docs/try', groups, content });
}
