/** Instances of generic functions that only one build has, or whose code differs. */
import type { CompilerSection } from '../../../../api';
import { countOf } from '../../../../ui';
import classes from './CompilerPanel.module.css';
import { shortName } from '../shared/comparison-wording';
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
        {countOf(instances.length + omitted, 'new, removed or changed instance')} of generic
        functions
      </summary>
      <p className="muted">
        The compiler makes an instance for each shape of the type arguments. A new or different
        instance proves nothing about cost.
      </p>
      <ul className={classes.scrolled}>
        {instances.map((each, index) => (
          <InstanceItem key={index} instance={each} />
        ))}
      </ul>
      {omitted > 0 && <p className="muted">{countOf(omitted, 'further instance')} not listed.</p>}
    </details>
  );
}

function InstanceItem({ instance }: { instance: Instance }) {
  const { change, function: name, type_arguments: types, is_on_stack: isOnStack } = instance;
  const code = both(instance, (one) => formatBytes(one.size_bytes));
  const frame = both(instance, (one) => formatBytes(one.frame_bytes));
  const inlined = both(instance, (one) => String(one.inlined));
  return (
    <li>
      {WORDS[change]}{' '}
      <span className="mono" title={name}>
        {shortName(name)}
      </span>{' '}
      with{' '}
      <span className="mono" title={types}>
        {shapesOf(types)}
      </span>{' '}
      <span className="muted">
        code {code} B, frame {frame} B, inlined calls {inlined}
        {isOnStack && ' · its function is on these stacks'}
      </span>
    </li>
  );
}

/** Formats the shapes of type arguments without the package prefix of the compiler. */
const shapesOf = (types: string): string =>
  types.replaceAll(',go.shape.', ', ').replaceAll('go.shape.', '');

/** Formats a value of both sides; only once if it is equal. */
function both(
  { base, candidate }: Instance,
  show: (code: NonNullable<Instance['base']>) => string,
): string {
  const shown = [base, candidate].flatMap((code) => (code ? [show(code)] : []));
  return [...new Set(shown)].join(' → ');
}
