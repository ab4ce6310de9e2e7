import { useLocation } from 'react-router';
import { Icon } from './icons.tsx';

/** The guide that explains a page, by the first part of its path. */
const guides: Readonly<Record<string, string>> = {
  'new-session': '/docs/proxies',
  'read-page': '/docs/page-calls',
  crawls: '/docs/crawling',
  proxies: '/docs/proxies#saved-proxies',
  sessions: '/docs/sessions-and-billing',
  usage: '/docs/sessions-and-billing',
  traffic: '/docs/traffic',
  bandwidth: '/docs/bandwidth',
  profiles: '/docs/saved-profiles',
  extensions: '/docs/extensions',
  events: '/docs/events',
  webhooks: '/docs/events#webhooks',
  keys: '/docs/api#authentication',
  accounts: '/docs/people',
  operators: '/docs/people',
  audit: '/docs/people',
  hosts: '/docs/cluster',
  products: '/docs/bandwidth',
  tokens: '/docs/api#authentication',
};

/** Guides open in a tab of their own, so that what was typed here stays. It gets a copy of this tab's storage. */
export const guideTab = { target: '_blank', rel: 'opener' } as const;

/** A link to the guide of the page that is shown. */
export function GuideLink({ title }: { title: string }) {
  const { pathname } = useLocation();
  const guide = pathname.endsWith('/recording') ? '/docs/inspector' : guides[pathname.split('/')[1] ?? ''];
  if (!guide) return null;
  return (
    <a className="guide-link" href={guide} {...guideTab} aria-label={`Guide: ${title}`} title="Guide">
      <Icon name="help" />
    </a>
  );
}
