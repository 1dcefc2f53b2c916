import type { Part } from './comparison-wording';

/**
 * Shows the parts of a sentence: names in monospace, the important number in its color. Text is
 * never parsed as HTML.
 */
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
