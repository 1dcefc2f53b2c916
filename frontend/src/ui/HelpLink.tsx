import { HiddenInSnapshot } from './SnapshotContext';
import { HELP_TOPICS, type HelpTopic } from './help-topics';

/** A link to a topic of the user guide, in a new tab so that the page stays as it is. */
export function HelpLink({ topic }: { topic: HelpTopic }) {
  const { path, label } = HELP_TOPICS[topic];
  return (
    <HiddenInSnapshot>
      <a className="link nowrap" href={path} target="_blank" rel="noopener">
        {label}
      </a>
    </HiddenInSnapshot>
  );
}
