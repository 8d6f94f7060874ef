// file_image.tsx — a picture that the server holds. With a token it is fetched and shown from memory, because an
// <img> cannot send one; without, the browser loads and caches it by itself.
import { useEffect, useState, type ImgHTMLAttributes } from "react";
import { authorization, token } from "../api/client";

export function useFileUrl(path: string | null): string | null {
  const [url, setUrl] = useState<string | null>(path !== null && !token() ? path : null);
  useEffect(() => {
    if (path === null || !token()) {
      setUrl(path);
      return;
    }
    const ending = new AbortController();
    let made: string | null = null;
    fetch(path, { headers: authorization(), signal: ending.signal })
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
