/** The field for the scopes of a token. */
import { Checkbox } from '@mantine/core';
import type { TokenScope } from '../../../api';
import classes from './Settings.module.css';

export const SCOPES: { value: TokenScope; label: string }[] = [
  { value: 'read', label: 'read' },
  { value: 'upload', label: 'upload: builds, files, telemetry' },
  { value: 'deploy', label: 'deploy: announce deployments' },
  { value: 'runner', label: 'runner: run bisect deployments' },
  { value: 'write', label: 'write: everything a member can do' },
  { value: 'audit', label: 'audit: read the audit log' },
];

type ScopesFieldProps = {
  chosen: string[];
  /** Whether the service account is a viewer. */
  isReadOnly: boolean;
  onChange: (scopes: string[]) => void;
};

export function ScopesField({ chosen, isReadOnly, onChange }: ScopesFieldProps) {
  return (
    <Checkbox.Group label="Scopes" value={chosen} onChange={onChange}>
      <div className={classes.scopes}>
        {SCOPES.map(({ value, label }) => (
          <Checkbox
            key={value}
            value={value}
            label={label}
            disabled={isReadOnly}
            title={
              isReadOnly ? 'The service account is a viewer: its tokens can only read' : undefined
            }
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}
