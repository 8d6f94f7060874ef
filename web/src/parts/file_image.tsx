// file_image.tsx — a picture that the server draws. An organization may have so many drawn at a time: one that was refused is
// asked for again, a few times, before it counts as broken.
import { useState, type ImgHTMLAttributes } from "react";

const kAskedMax = 5;
const kAgainMs = 1000;

export function FileImage({ path, alt, onError, ...rest }: { path: string; alt: string } & ImgHTMLAttributes<HTMLImageElement>) {
  const [tries, setTries] = useState(0);
  return (
    <img
      key={tries}
      src={path}
      alt={alt}
      decoding="async"
      {...rest}
      onError={(event) => {
        const error = event;
        // An <img> is not told why: whether to ask again is asked once.
        void fetch(path, { method: "HEAD" }).then(
          (answer) => (answer.status === 429 && tries < kAskedMax ? setTimeout(() => setTries(tries + 1), kAgainMs) : onError?.(error)),
          () => onError?.(error),
        );
      }}
    />
  );
}
