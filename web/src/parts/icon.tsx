// icon.tsx — the page's pictograms: 20 × 20, one stroke, the colour of the text around them.
const paths = {
  uploads: "M10 13V4m0 0L6.5 7.5M10 4l3.5 3.5M3.5 12.5v2.5a1.5 1.5 0 0 0 1.5 1.5h10a1.5 1.5 0 0 0 1.5-1.5v-2.5",
  runs: "M3 5.5h7M6 10h8M9 14.5h8",
  papers: "M5 3.5h10v13l-2-1.3-1.7 1.3L10 15.2l-1.3 1.3L7 15.2l-2 1.3zM7.5 7h5M7.5 10h5",
  statements: "M3 5.5h14v9H3zM3 8.5h14M5.5 12h3",
  documents: "M5.5 3h6l3.5 3.5V17h-9.500zM11 3v4h4M8 10.500h4.500M8 13.500h4.5",
  operations: "M3 11h3l2-6 3.5 10 2-6 1 2H17",
  photo: "M3 4.500h14v11H3zM3 13l4-3.5 3 2.5 2.5-2 4.5 3.500M13.5 7.800v.01",
  receipt: "M5 3h10v14l-1.7-1.2-1.6 1.2-1.7-1.200L8.3 17l-1.6-1.200L5 17zM7.5 6.500h5M7.5 9.500h5M7.5 12.500h2.5",
  invoice: "M5.5 2.800h6l3.5 3.500v10.900H5.500zM8 8h2M8 11h4.500M8 14h4.5",
  card: "M2.5 5h15v10h-15zM2.5 8.500h15M5 12h2.5",
  web: "M10 2.800a7.2 7.2 0 1 0 0 14.4 7.2 7.2 0 0 0 0-14.400zM2.8 10h14.400M10 2.800c2.5 2 3 4.5 3 7.200s-.5 5.2-3 7.200c-2.5-2-3-4.5-3-7.200s.5-5.2 3-7.200z",
  done: "M4 10.500l4 4 8-9",
  failed: "M5 5l10 10M15 5L5 15",
  wait: "M10 5.500V10l3 2M10 2.800a7.2 7.2 0 1 0 0 14.4 7.2 7.2 0 0 0 0-14.400z",
  pause: "M7 4.500v11M13 4.500v11",
  play: "M6.5 4l9 6-9 6z",
  retry: "M15.5 10a5.5 5.5 0 1 1-1.7-4M15.8 3v3.500h-3.5",
  fork: "M5 3v5a4 4 0 0 0 4 4h6M5 8v9M12.5 9.500L15 12l-2.5 2.5",
  stop: "M10 2.800a7.2 7.2 0 1 0 0 14.4 7.2 7.2 0 0 0 0-14.400zM5 5l10 10",
  skip: "M4 10h9M10 6l4 4-4 4M16.5 5.500v9",
  queued: "M10 2.800a7.2 7.2 0 1 0 0 14.4 7.2 7.2 0 0 0 0-14.400z",
  line: "M4 4v12M8.5 6.500v7M13 8v4M16.800 10v.01",
  run: "M10 2.800a7.2 7.2 0 1 1-7.2 7.2",
  search: "M9 3.500a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM13 13l4 4",
  close: "M5 5l10 10M15 5L5 15",
  right: "M7.5 4.500L13 10l-5.5 5.5",
  down: "M4.5 7.500L10 13l5.5-5.5",
  back: "M12.5 4.500L7 10l5.5 5.5",
  link: "M8 12l4-4M9 6l1.5-1.500a3.2 3.2 0 0 1 4.5 4.500L13.5 10.500M11 14l-1.5 1.500A3.2 3.2 0 0 1 5 11l1.5-1.5",
  trash: "M4 5.500h12M8 5.500V3.500h4v2M5.5 5.500l.8 11h7.400l.8-11",
  doubt: "M10 3L2.5 16.500h15zM10 8v4M10 14.200v.01",
  sun: "M10 6.500a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 2v1.500M10 16.500V18M2 10h1.500M16.5 10H18M4.3 4.300l1.1 1.100M14.6 14.600l1.1 1.100M4.3 15.700l1.1-1.100M14.6 5.400l1.1-1.1",
  settings: "M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4",
  key: "M7 8.500a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM9.5 9.500L16 3M13.5 5.500l2 2",
  plug: "M7 3v4M13 3v4M5 7h10v3a5 5 0 0 1-10 0zM10 15v3",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18, spin = false }: { name: IconName; size?: number; spin?: boolean }) {
  return (
    <svg className={spin ? "spin" : undefined} width={size} height={size} viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.7" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#1c1d1b" />
      <path d="M9 26V10a7 7 0 0 1 14 0v3a5 5 0 0 1-10 0" fill="none" stroke="#ff8a47" strokeWidth="3.2" strokeLinecap="round" />
      <circle cx="9" cy="26" r="2.6" fill="#f7f6f3" />
    </svg>
  );
}
