// section.tsx — a part of the operations view with the states that all of them have.
import type { ReactNode } from "react";
import { Bones, Empty, FailedPlacard } from "../../parts/placards";
import type { Resource } from "../../state/resource";
import type { IconName } from "../../parts/icon";

interface Props<T> {
  title: string;
  told: Resource<T[]>;
  icon: IconName;
  empty: string;
  emptyAdvice?: string;
  children: (rows: T[]) => ReactNode;
}

export function Section<T>({ title, told, icon, empty, emptyAdvice, children }: Props<T>) {
  return (
    <section className="card section" aria-label={title}>
      <h2>{title}</h2>
      {told.failure && !told.value ? (
        <FailedPlacard failure={told.failure} again={told.reload} />
      ) : !told.value ? (
        <Bones rows={2} height={44} />
      ) : told.value.length === 0 ? (
        <Empty icon={icon} title={empty}>
          {emptyAdvice}
        </Empty>
      ) : (
        children(told.value)
      )}
    </section>
  );
}
