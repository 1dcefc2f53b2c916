/** What the team stores, for how long it keeps it, and all of it to take away. */
import { Exports } from './Exports';
import { Retention } from './Retention';
import { UsageSections } from './UsageSections';

export type StorageProps = { mayManage: boolean };

export default function Storage({ mayManage }: StorageProps) {
  return (
    <>
      <UsageSections />
      <Retention mayManage={mayManage} />
      <Exports mayManage={mayManage} />
    </>
  );
}
