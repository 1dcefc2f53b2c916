import type { ReactNode } from 'react';
import { CopyField } from './CopyField';
import classes from './OneTimeSecret.module.css';

type SecretProps = {
  /** The first, bold sentence: "Copy the secret of ours now." */
  lead: string;
  /** What the secret is for, and how it is stored. */
  note: ReactNode;
  label: string;
  secret: string;
  /** Further content, such as a field that is copied together with the secret. */
  children?: ReactNode;
};

/** Shows a secret right after its creation, because the server never returns it again. */
export function OneTimeSecret({ lead, note, label, secret, children }: SecretProps) {
  return (
    <div className={classes.once}>
      <p>
        <b>{lead}</b> {note}
      </p>
      <CopyField label={label} value={secret} />
      {children}
    </div>
  );
}
