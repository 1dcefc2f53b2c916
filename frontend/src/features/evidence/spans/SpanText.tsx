import type { SpanWord as Piece } from './span-wording';

/** A sentence with its names in code type. */
export function SpanText({ words }: { words: Piece[] }) {
  return (
    <>
      {words.map(({ text, code }, at) =>
        code ? (
          <span key={at} className="mono">
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </>
  );
}
