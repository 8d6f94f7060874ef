export default function V(_: Record<string, string>) { return null; }
