import { textParts } from './inbox-wording';

/** A sentence of an item, with its identifiers in their type. */
export function ItemText({ text, service }: { text: string; service: string | null }) {
  return textParts(text, service).map((part, at) =>
    part.isCode ? (
      <span key={at} className="mono">
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
}
