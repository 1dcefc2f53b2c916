import type { Words as Piece } from './wording';

/** A sentence whose names stand in code type. */
export function Words({ words }: { words: Piece[] }) {
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
