import { useContext } from 'react';
import type { ApiSchema } from '../../../api';
import { CodeBlock } from '../../../ui';
import classes from './ApiReference.module.css';
import { ApiSchemas, Disclosure, MemberTable, NamedSchema } from './ApiSchemaTable';
import { referencedSchemas, typeText, type NamedOperation } from './api-operations';
import { curlExample } from './curl-example';

type ContentProps = { label: string; content: Record<string, { schema?: ApiSchema }> };

/** A request body or a response: its media type and its schema, opened. */
function Content({ label, content }: ContentProps) {
  return (
    <>
      {Object.entries(content).map(([media, { schema = {} }]) => (
        <div key={media}>
          <h4>
            {label} <span className="muted">{media}</span>
          </h4>
          {schema.$ref === undefined && <p className={classes.type}>{typeText(schema)}</p>}
          {referencedSchemas(schema).map((name) => (
            <NamedSchema key={name} name={name} isOpen={schema.$ref !== undefined} />
          ))}
        </div>
      ))}
    </>
  );
}

/** A curl command to copy, with the required members only. */
function CurlExample({ named }: { named: NamedOperation }) {
  const text = curlExample(named, useContext(ApiSchemas));
  return (
    <>
      <h4>Example</h4>
      <CodeBlock text={text}>
        <code>{text}</code>
      </CodeBlock>
    </>
  );
}

/** One operation: its path and summary; parameters, body and responses when it is opened. */
export function ApiOperationDetails({ named, isOpen }: { named: NamedOperation; isOpen: boolean }) {
  const { id, method, path, operation } = named;
  const { parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses);
  const errors = answers.filter(([status]) => !status.startsWith('2'));
  return (
    <Disclosure
      id={id}
      isOpen={isOpen}
      summary={
        <>
          <span className={classes.method}>{method.toUpperCase()}</span>
          <span className={`mono ${classes.path ?? ''}`}>{path}</span>
          <span className={`muted cut ${classes.summary ?? ''}`}>{operation.summary}</span>
        </>
      }
    >
      {operation.description && <p className="t2">{operation.description}</p>}
      <CurlExample named={named} />
      {parameters.length > 0 && (
        <>
          <h4>Parameters</h4>
          <MemberTable
            label={`Parameters of ${method.toUpperCase()} ${path}`}
            rows={parameters.map(({ name, in: place, required, schema, description }) => ({
              name,
              place,
              isRequired: required ?? false,
              schema: schema ?? {},
              description,
            }))}
          />
        </>
      )}
      {requestBody && <Content label="Request body" content={requestBody.content} />}
      {answers
        .filter(([status]) => status.startsWith('2'))
        .map(([status, { content }]) =>
          content ? (
            <Content key={status} label={`Response ${status}`} content={content} />
          ) : (
            <h4 key={status}>
              Response {status} <span className="muted">no content</span>
            </h4>
          ),
        )}
      {errors.length > 0 && (
        <>
          <h4>Errors</h4>
          <ul className={classes.errors}>
            {errors.map(([status, { description }]) => (
              <li key={status}>
                <span className="mono">{status}</span> {description}
              </li>
            ))}
          </ul>
        </>
      )}
    </Disclosure>
  );
}
