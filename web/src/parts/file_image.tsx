// file_image.tsx — a picture that the server holds. With a token it is fetched and shown from memory, because an
// <img> cannot send one; without, the browser loads and caches it by itself.
import { useEffect, useState, type ImgHTMLAttributes } from "react";
import { authorization, token } from "../api/client";

const asksMax = 5;

// An organization may have so many pictures drawn at a time; beyond that the server says when to ask again.
async function fetchWhenFree(path: string, signal: AbortSignal): Promise<Response> {
  for (let asked = 1; ; ++asked) {
    const response = await fetch(path, { headers: authorization(), signal });
    if (response.status !== 429 || asked === asksMax) return response;
    await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get("Retry-After") ?? 1) * 1000));
    signal.throwIfAborted();
  }
}

export function useFileUrl(path: string | null): string | null {
  const [url, setUrl] = useState<string | null>(path !== null && !token() ? path : null);
  useEffect(() => {
    if (path === null || !token()) {
      setUrl(path);
      return;
    }
    const ending = new AbortController();
    let made: string | null = null;
    fetchWhenFree(path, ending.signal)
      .then((response) => (response.ok ? response.blob() : Promise.reject(new Error(String(response.status)))))
      .then((blob) => {
        made = URL.createObjectURL(blob);
        setUrl(made);
      })
      .catch(() => setUrl(null));
    return () => {
      ending.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [path]);
  return url;
}

export function FileImage({ path, alt, ...rest }: { path: string; alt: string } & ImgHTMLAttributes<HTMLImageElement>) {
  const url = useFileUrl(path);
  return url ? <img src={url} alt={alt} decoding="async" {...rest} /> : null;
}
