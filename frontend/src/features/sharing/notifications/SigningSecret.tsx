import { CopyField } from '../../../ui';
import classes from './notifications.module.css';

/** The secret by which a receiver checks signatures, in the one moment in which it is known here. */
export function SigningSecret({ of, secret }: { of: string; secret: string }) {
  return (
    <div className={classes.once}>
      <p>
        <b>Copy the signing secret of {of} now.</b> It is shown once. Requests are signed as
        Standard Webhooks: <span className="mono">webhook-id</span>,{' '}
        <span className="mono">webhook-timestamp</span>,{' '}
        <span className="mono">webhook-signature</span>.
      </p>
      <CopyField label="Signing secret" value={secret} />
    </div>
  );
}
