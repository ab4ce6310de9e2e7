import type { TabState } from './rows.ts';

/** The browser's tabs at the moment, and the address of the one in front. */
export function TabStrip({ tabs }: { tabs: readonly TabState[] }) {
  const shown = tabs.find(({ isShown }) => isShown);
  return (
    <div className="tab-strip">
      <ul aria-label="Tabs of the browser">
        {tabs.map(({ tab, title, url, isShown }) => (
          <li key={tab} data-shown={isShown} aria-current={isShown || undefined} title={url}>
            {title || url || `Tab ${tab}`}
          </li>
        ))}
      </ul>
      <div className="tab-address mono">{shown?.url ?? ' '}</div>
    </div>
  );
}
