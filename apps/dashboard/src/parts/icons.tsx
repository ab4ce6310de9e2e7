/** Icons on a 24 × 24 grid, in the text colour. Hidden from screen readers, as there is always a label. */
const shapes = {
  overview: 'M4 4h7v7H4zM13 4h7v4h-7zM13 11h7v9h-7zM4 14h7v6H4z',
  sessions: 'M3 5h18v13H3zM3 9h18M6 7h.01M9 7h.01',
  plus: 'M12 5v14M5 12h14',
  crawls: 'M12 3v5M12 8H5v4M12 8h7v4M3 12h4v4H3zM10 12h4v4h-4zM17 12h4v4h-4zM12 8v4M5 16v4M12 16v4M19 16v4',
  usage: 'M12 7v5l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  bandwidth: 'M4 20V10M10 20V4M16 20v-8M21 20H3',
  traffic: 'M8 20V5M4 9l4-4 4 4M16 4v15M12 15l4 4 4-4',
  keys: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12.5L20 3.5M16.5 7l3 3M13.5 10l2 2',
  files: 'M3 6h6l2 2h10v11H3z',
  upload: 'M12 16V5M7.5 9L12 4.5 16.5 9M5 20h14',
  proxies: 'M3 12h5M16 12h5M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM18.5 9.5L21 12l-2.5 2.5',
  profiles: 'M5 3h12l3 3v15H5zM8 3v6h8V3M8 21v-7h9v7',
  extensions: 'M4 8h4.5V6.5a2.5 2.5 0 0 1 5 0V8H18v4.5h.5a2.5 2.5 0 0 1 0 5H18V20H4z',
  webhooks: 'M4 12h9M10 8l4 4-4 4M20 5a12 12 0 0 1 0 14M16.5 8a7 7 0 0 1 0 8',
  accounts:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3.5 2.5-6 6-6s6 2.5 6 6M16 4.5a3.5 3.5 0 0 1 0 6M17.5 14.5c2.2.8 3.5 2.8 3.5 5.5',
  hosts: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01M12 7h4M12 17h4',
  products: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h7',
  tokens: 'M4 7h16v10H4zM8 12h.01M12 12h.01M16 12h.01',
  operators: 'M12 3l7 3v5c0 4.5-3 8-7 10-4-2-7-5.5-7-10V6zM9 12l2 2 4-4',
  events: 'M13 3L5 13.5h6L10 21l8-10.5h-6z',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c0-4 3.3-6.5 7.5-6.5s7.5 2.5 7.5 6.5',
  signOut: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  download: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14',
  external: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M8 5v14M16 5v14',
  record: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  share: 'M12 15V4M8 7.5L12 3.5l4 4M6 11H4.5v9.5h15V11H18',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  previous: 'M17 5l-8 7 8 7M6 5v14',
  next: 'M7 5l8 7-8 7M18 5v14',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5L20 20',
  back: 'M15 6l-6 6 6 6',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 16.8h.01',
  password: 'M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11',
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={shapes[name]} />
    </svg>
  );
}
