/** Instances of generic functions that one build has, or whose code differs. */
import type { CompilerSection } from '../../../api';
import { countOf } from '../../../ui';
import classes from './CompilerPanel.module.css';
import { shortName } from './comparison-wording';
import { formatBytes } from './compiler-wording';

type Instance = NonNullable<CompilerSection['instances']>[number];

const WORDS: Record<Instance['change'], string> = {
  added: 'new',
  removed: 'removed',
  changed: 'changed',
};

export function GenericInstances({ section }: { section: CompilerSection }) {
  const instances = section.instances ?? [];
  const omitted = section.omitted_instances ?? 0;
  if (instances.length === 0) return null;
  return (
    <details className={classes.instances}>
      <summary>
        {countOf(instances.length + omitted, 'changed instance')} of generic functions
      </summary>
      <p className="muted">
        The compiler makes an instance for each shape of the type arguments. That an instance is new
        or other code proves nothing about cost.
      </p>
      <div className={classes.scrolled}>
        <table>
          <thead>
            <tr>
              <th scope="col">Change</th>
              <th scope="col">Function</th>
              <th scope="col">Type arguments</th>
              <th scope="col">Code</th>
              <th scope="col">Frame</th>
              <th scope="col">Inlined calls</th>
            </tr>
          </thead>
          <tbody>
            {instances.map((each, index) => (
              <Row key={index} instance={each} />
            ))}
          </tbody>
        </table>
      </div>
      {omitted > 0 && <p className="muted">{countOf(omitted, 'further instance')} not listed.</p>}
    </details>
  );
}

function Row({ instance }: { instance: Instance }) {
  const { change, function: name, type_arguments: types, is_on_stack: isOnStack } = instance;
  return (
    <tr>
      <td>
        {WORDS[change]}
        {isOnStack && <span className="muted"> · on these stacks</span>}
      </td>
      <td className="mono" title={name}>
        {shortName(name)}
      </td>
      <td className="mono">{types}</td>
      <td>{both(instance, (code) => `${formatBytes(code.size_bytes)} B`)}</td>
      <td>{both(instance, (code) => `${formatBytes(code.frame_bytes)} B`)}</td>
      <td>{both(instance, (code) => formatBytes(code.inlined))}</td>
    </tr>
  );
}

/** A value of both sides, once if it is equal. */
function both(
  { base, candidate }: Instance,
  show: (code: NonNullable<Instance['base']>) => string,
): string {
  const shown = [base, candidate].flatMap((code) => (code ? [show(code)] : []));
  return [...new Set(shown)].join(' → ');
}
