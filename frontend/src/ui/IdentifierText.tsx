import { identifierParts } from './identifiers';

/** A sentence whose identifiers are in the code font. */
export function IdentifierText({ text, name = null }: { text: string; name?: string | null }) {
  return identifierParts(text, name).map((part, at) =>
    part.isCode ? (
      <span key={at} className="mono">
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
}
