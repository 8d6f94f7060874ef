// boundary.tsx — a view that throws takes nothing with it: the frame stays, and the view can be tried again.
import { Component, type ReactNode } from "react";
import { Icon } from "../parts/icon";
import { refreshWhere } from "../state/resource";
import { text } from "../text";

interface Props {
  place: string; // another place begins without the fault of the last
  children: ReactNode;
}
interface State {
  fault: Error | null;
  place: string;
}

export class Boundary extends Component<Props, State> {
  override state: State = { fault: null, place: this.props.place };

  static getDerivedStateFromError(thrown: unknown): Partial<State> {
    return { fault: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }
  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.place === state.place ? null : { fault: null, place: props.place };
  }

  // What made it throw may have been an answer: it is read anew.
  private readonly again = () => {
    refreshWhere(() => true);
    this.setState({ fault: null });
  };

  override render(): ReactNode {
    const { fault } = this.state;
    if (!fault) return this.props.children;
    const words = text.boundary;
    return (
      <div className="placard" role="alert">
        <Icon name="doubt" size={30} />
        <h1>{words.title}</h1>
        <p>{words.advice}</p>
        <p className="mono small">{fault.message}</p>
        <button className="button" onClick={this.again}>
          <Icon name="retry" /> {text.again}
        </button>
      </div>
    );
  }
}
