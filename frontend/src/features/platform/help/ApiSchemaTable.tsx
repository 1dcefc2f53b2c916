import { createContext, useContext, useState, type ReactNode } from 'react';
import type { ApiSchema } from '../../../api';
import classes from './ApiReference.module.css';
import { limitsText, referencedSchemas, typeText } from './api-operations';

/** The named schemas of the document. */
export const ApiSchemas = createContext<Record<string, ApiSchema>>({});

type DisclosureProps = { summary: ReactNode; id?: string; isOpen?: boolean; children: ReactNode };

/**
 * A section that is rendered when it is first opened, because the whole document would have 1,600
 * rows.
 */
export function Disclosure({ summary, id, isOpen = false, children }: DisclosureProps) {
  const [wasOpened, setWasOpened] = useState(isOpen);
  return (
    <details
      id={id}
      className={classes.disclosure}
      open={isOpen}
      onToggle={(event) => {
        if (event.currentTarget.open) setWasOpened(true);
      }}
    >
      <summary>{summary}</summary>
      {wasOpened && <div className={classes.inside}>{children}</div>}
    </details>
  );
}

type MemberRow = {
  name: string;
  isRequired: boolean;
  schema: ApiSchema;
  description?: string;
  place?: string;
};

/**
 * Parameters or fields: name, type, description; the schemas that they refer to can be opened
 * below.
 */
export function MemberTable({ label, rows }: { label: string; rows: MemberRow[] }) {
  const names = [...new Set(rows.flatMap(({ schema }) => referencedSchemas(schema)))];
  return (
    <>
      <div className={classes.scroll} tabIndex={0} role="group" aria-label={label}>
        <table className={classes.members}>
          <tbody>
            {rows.map(({ name, isRequired, schema, description, place }) => (
              <tr key={`${place ?? ''} ${name}`}>
                <th scope="row" className="mono">
                  {name}
                  {!isRequired && <span className="muted">?</span>}
                </th>
                <td>
                  <span className={classes.type}>{typeText(schema)}</span>{' '}
                  <span className="muted">
                    {[place, limitsText(schema)].filter(Boolean).join(', ')}
                  </span>
                  {(description ?? schema.description) && (
                    <p className="t2">{description ?? schema.description}</p>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {names.map((name) => (
        <NamedSchema key={name} name={name} />
      ))}
    </>
  );
}

/** A named schema with its fields, closed at first. */
export function NamedSchema({ name, isOpen = false }: { name: string; isOpen?: boolean }) {
  const schema = useContext(ApiSchemas)[name];
  if (!schema) return null;
  return (
    <Disclosure isOpen={isOpen} summary={<span className="mono">{name}</span>}>
      {schema.description && <p className="t2">{schema.description}</p>}
      {schema.properties ? (
        <MemberTable
          label={`Fields of ${name}`}
          rows={Object.entries(schema.properties).map(([field, property]) => ({
            name: field,
            isRequired: schema.required?.includes(field) ?? false,
            schema: property,
          }))}
        />
      ) : (
        <p className={classes.type}>{typeText(schema)}</p>
      )}
    </Disclosure>
  );
}
