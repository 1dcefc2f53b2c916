import type { Part } from './comparison-wording';

/** Parts of a sentence: names in code type, the number that matters in its colour. Hostile text stays text. */
export function FindingText({ parts }: { parts: Part[] }) {
  return parts.map((part, index) => {
    const className = [part.code && 'mono', part.whole && 'nowrap', part.tone]
      .filter(Boolean)
      .join(' ');
    return className === '' ? (
      part.text
    ) : (
      <span key={index} className={className}>
        {part.text}
      </span>
    );
  });
}
