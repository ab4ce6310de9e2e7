import type { Role } from '@turnpike/contract/dashboard/people';
import { NavLink } from 'react-router';
import { guideTab } from '../parts/guide-link.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';

interface Entry {
  to: string;
  name: string;
  icon: IconName;
  /** Active at this address only, not at those below it. */
  exact?: boolean;
}

const entries: Readonly<Record<Role, readonly Entry[]>> = {
  account: [
    { to: '/', name: 'Overview', icon: 'overview', exact: true },
    { to: '/sessions', name: 'Sessions', icon: 'sessions' },
    { to: '/new-session', name: 'New session', icon: 'plus' },
    { to: '/read-page', name: 'Read a page', icon: 'eye' },
    { to: '/crawls', name: 'Crawls', icon: 'crawls' },
    { to: '/usage', name: 'Usage', icon: 'usage' },
    { to: '/traffic', name: 'Traffic', icon: 'traffic' },
    { to: '/bandwidth', name: 'Bandwidth', icon: 'bandwidth' },
    { to: '/proxies', name: 'Proxies', icon: 'proxies' },
    { to: '/profiles', name: 'Saved profiles', icon: 'profiles' },
    { to: '/extensions', name: 'Extensions', icon: 'extensions' },
    { to: '/events', name: 'Events', icon: 'events' },
    { to: '/webhooks', name: 'Webhooks', icon: 'webhooks' },
    { to: '/keys', name: 'Keys', icon: 'keys' },
  ],
  operator: [
    { to: '/', name: 'Overview', icon: 'overview', exact: true },
    { to: '/accounts', name: 'Accounts', icon: 'accounts' },
    { to: '/sessions', name: 'Sessions', icon: 'sessions' },
    { to: '/hosts', name: 'Hosts', icon: 'hosts' },
    { to: '/products', name: 'Products', icon: 'products' },
    { to: '/audit', name: 'Audit log', icon: 'audit' },
    { to: '/tokens', name: 'Operator tokens', icon: 'tokens' },
    { to: '/operators', name: 'Operators', icon: 'operators' },
  ],
};

export function Navigation({ role, onNavigate }: { role: Role; onNavigate?: () => void }) {
  return (
    <nav className="navigation" aria-label="Pages">
      {entries[role].map(({ to, name, icon, exact = false }) => (
        <NavLink key={to} to={to} end={exact} className="navigation-link" onClick={() => onNavigate?.()}>
          <Icon name={icon} />
          {name}
        </NavLink>
      ))}
      <a href="/docs" {...guideTab} className="navigation-link">
        <Icon name="help" />
        Help
      </a>
    </nav>
  );
}
